import { ArrowLeft, KeyRound, Smartphone } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/api-error';
import { confirmSecurityKey, confirmTotp, readSecondFactors, type SecondFactor } from '#api/second-factors';
import { signOut } from '#api/session';
import { Button } from '#ui/button';
import { CodeInput } from '#ui/code-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';

/** What comes after the password where a second step is set (AU-17): a code, or a touch of the key. */
export default function SecondFactorStep({ email }: { email: string }) {
  const [attempt, setAttempt] = useState(0);
  return <Step key={attempt} email={email} onRetry={() => setAttempt(attempt + 1)} />;
}

function Step({ email, onRetry }: { email: string; onRetry: () => void }) {
  const { t } = useTranslation();
  const { factors, failure } = useSecondFactors();
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
                  icon={factor.kind === 'webauthn' ? <KeyRound aria-hidden /> : <Smartphone aria-hidden />}
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
        className="mt-4 self-start"
        onClick={() => void signOut()}
      >
        {t('Revenir à la connexion')}
      </Button>
    </>
  );
}

function CodeStep({ factor, isNamed }: { factor: SecondFactor; isNamed: boolean }) {
  const { t } = useTranslation();
  const [code, setCode] = useState('');
  const { pending, error, run } = useStep();
  const send = (figures: string) =>
    run(() => confirmTotp(factor.id, figures)).then((isDone) => {
      if (!isDone) setCode('');
    });
  return (
    <form
      noValidate
      className="mt-6 flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.length === 6) void send(code);
      }}
    >
      <Field
        label={isNamed ? t('Code affiché par « {{name}} »', { name: factor.name }) : t('Code à 6 chiffres')}
        hint={t('Il s’affiche dans votre application d’authentification et change toutes les 30 secondes.')}
        error={error}
      >
        <CodeInput
          // The one thing to do on this page.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          value={code}
          onValueChange={setCode}
          onComplete={(figures) => void send(figures)}
        />
      </Field>
      <Button type="submit" variant="primary" size="lg" pending={pending}>
        {t('Se connecter')}
      </Button>
    </form>
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

/** One attempt at a time. Whether it went through: the session's own events then lead on. */
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
  return { pending, error, run };
}

function useSecondFactors() {
  const { t } = useTranslation();
  const [factors, setFactors] = useState<readonly SecondFactor[]>();
  const [failure, setFailure] = useState<string>();
  // The account's second steps are the server's.
  useEffect(() => {
    let left = false;
    readSecondFactors().then(
      (found) => {
        // An application first: it needs nothing of the browser.
        const usable = found.filter((factor) => factor.kind !== 'phone');
        if (!left) setFactors(usable.toSorted((a, b) => Number(a.kind === 'webauthn') - Number(b.kind === 'webauthn')));
      },
      (error: unknown) => {
        if (!left) setFailure(messageOf(error, t('Vos moyens de confirmation n’ont pas pu être lus.')));
      },
    );
    return () => {
      left = true;
    };
  }, [t]);
  return { factors, failure };
}

function nameOf(factor: SecondFactor, t: (text: string) => string): string {
  if (factor.name !== '') return factor.name;
  return factor.kind === 'webauthn' ? t('Clé de sécurité') : t('Application d’authentification');
}
