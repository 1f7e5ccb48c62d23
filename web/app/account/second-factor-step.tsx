import { ArrowLeft, KeyRound, LifeBuoy, MessageSquareText, Smartphone } from 'lucide-react';
import type { Factor } from '@supabase/supabase-js';
import { useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { spendRecoveryCode } from '#api/account/recovery-codes';
import {
  confirmPhone,
  confirmSecurityKey,
  confirmTotp,
  readSecondFactors,
  secondFactorsOf,
  sendPhoneCode,
  type SecondFactor,
} from '#api/account/second-factors';
import { signOut } from '#api/transport/session';
import { Button } from '#ui/button';
import { CodeInput } from '#ui/code-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { TextInput } from '#ui/text-input';

/** The second step after the password (AU-17): a code, or a touch of the key. */
export default function SecondFactorStep({ email, known }: StepProps) {
  const [attempt, setAttempt] = useState(0);
  return <Step key={attempt} email={email} known={known} onRetry={() => setAttempt(attempt + 1)} />;
}

interface StepProps {
  email: string;
  /** The second steps that the sign-in's answer named; read from the server where there was none: after a reload. */
  known?: readonly Factor[] | undefined;
}

function Step({ email, known, onRetry }: StepProps & { onRetry: () => void }) {
  const { t } = useTranslation();
  const { factors, failure } = useSecondFactors(known);
  const [chosenId, setChosenId] = useState<string>();
  const chosen = factors?.find((factor) => factor.id === chosenId) ?? factors?.[0];
  const others = factors?.filter((factor) => factor !== chosen) ?? [];
  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Confirmez votre identité')}
      </h1>
      <p className="mt-1 text-encre-soft wrap-anywhere">
        {t('Deuxième étape de connexion pour {{email}}.', { email })}
      </p>
      {failure ? (
        <Notice tone="error" className="mt-6" action={<Button onClick={onRetry}>{t('Réessayer')}</Button>}>
          {failure}
        </Notice>
      ) : chosen === undefined ? (
        <div aria-busy="true" className="animate-late mt-6 flex flex-col gap-4">
          <Skeleton className="h-14 w-60" />
          <Skeleton className="h-12 w-full" />
        </div>
      ) : chosen.kind === 'webauthn' ? (
        <KeyStep key={chosen.id} factor={chosen} />
      ) : chosen.kind === 'phone' ? (
        <PhoneStep key={chosen.id} factor={chosen} />
      ) : chosen.kind === 'recovery-codes' ? (
        <RecoveryStep key={chosen.id} />
      ) : (
        <CodeStep key={chosen.id} factor={chosen} isNamed={others.some((other) => other.kind === chosen.kind)} />
      )}
      {others.length > 0 && (
        <div className="mt-8 border-t border-hairline pt-5">
          <h2 className="font-sans text-sm font-medium tracking-normal text-encre-soft">{t('Un autre moyen')}</h2>
          <ul className="mt-2 flex flex-col gap-2">
            {others.map((factor) => (
              <li key={factor.id}>
                <Button
                  className="w-full justify-start"
                  icon={icons[factor.kind]}
                  onClick={() => setChosenId(factor.id)}
                >
                  <span className="min-w-0 truncate">{nameOf(factor, t)}</span>
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <p className="mt-8 text-sm text-encre-faint">
        {t('Téléphone ou clé perdus ? Votre entreprise peut vous ouvrir à nouveau l’accès : contactez-la.')}
      </p>
      <Button
        variant="quiet"
        icon={<ArrowLeft aria-hidden />}
        className="mt-4 -ml-4 self-start"
        onClick={() => void signOut()}
      >
        {t('Revenir à la connexion')}
      </Button>
    </>
  );
}

function CodeStep({ factor, isNamed }: { factor: SecondFactor; isNamed: boolean }) {
  const { t } = useTranslation();
  return (
    <DigitsForm
      label={isNamed ? t('Code affiché par « {{name}} »', { name: factor.name }) : t('Code à 6 chiffres')}
      hint={t('Il s’affiche dans votre application d’authentification et change toutes les 30 secondes.')}
      step={useStep()}
      confirm={(digits) => confirmTotp(factor.id, digits)}
    />
  );
}

/** Six digits, sent as soon as they are typed; the field is emptied after a refusal. */
function DigitsForm({
  label,
  hint,
  step: { pending, error, run },
  confirm,
}: {
  label: string;
  hint: string;
  step: ReturnType<typeof useStep>;
  confirm: (digits: string) => Promise<void>;
}) {
  const { t } = useTranslation();
  const [code, setCode] = useState('');
  const send = (digits: string) =>
    run(() => confirm(digits)).then((isDone) => {
      if (!isDone) setCode('');
    });
  return (
    <form
      method="post"
      noValidate
      className="mt-6 flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.length === 6) void send(code);
      }}
    >
      <Field label={label} hint={hint} error={error}>
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the one thing to do on this page */}
        <CodeInput autoFocus value={code} onValueChange={setCode} onComplete={(digits) => void send(digits)} />
      </Field>
      <Button type="submit" variant="primary" size="lg" pending={pending}>
        {t('Se connecter')}
      </Button>
    </form>
  );
}

const icons: Readonly<Record<SecondFactor['kind'], ReactNode>> = {
  totp: <Smartphone aria-hidden />,
  webauthn: <KeyRound aria-hidden />,
  phone: <MessageSquareText aria-hidden />,
  'recovery-codes': <LifeBuoy aria-hidden />,
};

/** A code on paper: longer than the others, and good once. */
function RecoveryStep() {
  const { t } = useTranslation();
  const [code, setCode] = useState('');
  const { pending, error, run } = useStep();
  return (
    <form
      method="post"
      noValidate
      className="mt-6 flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim() !== '') void run(() => spendRecoveryCode(code));
      }}
    >
      <Field
        label={t('Code de secours')}
        hint={t('L’un de ceux que vous avez gardés. Il ne sert qu’une fois.')}
        error={error}
      >
        <TextInput
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- chosen just now, the one thing to do on this page
          autoFocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="font-mono"
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </Field>
      <Button type="submit" variant="primary" size="lg" pending={pending}>
        {t('Se connecter')}
      </Button>
    </form>
  );
}

function PhoneStep({ factor }: { factor: SecondFactor }) {
  const { t } = useTranslation();
  const [challengeId, setChallengeId] = useState<string>();
  const step = useStep();
  if (challengeId !== undefined) {
    return (
      <DigitsForm
        label={t('Code reçu par SMS')}
        hint={t('Valable quelques minutes.')}
        step={step}
        confirm={(digits) => confirmPhone(factor.id, challengeId, digits)}
      />
    );
  }
  return (
    <div className="mt-6 flex flex-col gap-5">
      {step.error && <Notice tone="error">{step.error}</Notice>}
      <Button
        variant="primary"
        size="lg"
        icon={<MessageSquareText aria-hidden />}
        pending={step.pending}
        onClick={() => void step.run(async () => setChallengeId(await sendPhoneCode(factor.id))).then(step.settle)}
      >
        {t('Recevoir un code par SMS')}
      </Button>
    </div>
  );
}

function KeyStep({ factor }: { factor: SecondFactor }) {
  const { t } = useTranslation();
  const { pending, error, run } = useStep();
  return (
    <div className="mt-6 flex flex-col gap-5">
      <p className="text-encre-soft">
        {t('Préparez « {{name}} », puis suivez ce que demande votre navigateur.', { name: nameOf(factor, t) })}
      </p>
      {error && <Notice tone="error">{error}</Notice>}
      <Button
        variant="primary"
        size="lg"
        icon={<KeyRound aria-hidden />}
        pending={pending}
        onClick={() => void run(() => confirmSecurityKey(factor.id))}
      >
        {t('Utiliser ma clé de sécurité')}
      </Button>
    </div>
  );
}

/** One attempt at a time; true once it went through. The session's own events then lead on. */
function useStep() {
  const { t } = useTranslation();
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<string>();
  const run = async (attempt: () => Promise<void>): Promise<boolean> => {
    if (pending) return true;
    setPending(true);
    setError(undefined);
    try {
      await attempt();
      return true;
    } catch (reason) {
      setError(messageOf(reason, t('La vérification n’a pas abouti. Réessayez.')));
      setPending(false);
      return false;
    }
  };
  return { pending, error, run, settle: () => setPending(false) };
}

function useSecondFactors(known: readonly Factor[] | undefined) {
  const { t } = useTranslation();
  const [factors, setFactors] = useState(known && inOrder(secondFactorsOf(known)));
  const [failure, setFailure] = useState<string>();
  // The account's second steps are the server's.
  useEffect(() => {
    if (known !== undefined) return undefined;
    let left = false;
    readSecondFactors().then(
      (found) => {
        if (!left) setFactors(inOrder(found));
      },
      (error: unknown) => {
        if (!left) setFailure(messageOf(error, t('Vos moyens de confirmation n’ont pas pu être lus.')));
      },
    );
    return () => {
      left = true;
    };
  }, [t, known]);
  return { factors, failure };
}

/** An application first: it needs nothing of the browser. */
function inOrder(factors: readonly SecondFactor[]): readonly SecondFactor[] {
  return factors.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

const order: readonly SecondFactor['kind'][] = ['totp', 'webauthn', 'phone', 'recovery-codes'];

function nameOf(factor: SecondFactor, t: (text: string) => string): string {
  if (factor.name !== '' && factor.kind !== 'recovery-codes') return factor.name;
  switch (factor.kind) {
    case 'webauthn':
      return t('Clé de sécurité');
    case 'phone':
      return t('Téléphone');
    case 'recovery-codes':
      return t('Codes de secours');
    case 'totp':
      return t('Application d’authentification');
  }
}
