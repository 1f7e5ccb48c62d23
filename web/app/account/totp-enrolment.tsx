import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { abandonTotp, beginTotp, confirmTotp, type TotpEnrolment as Enrolment } from '#api/account/second-factors';
import { Button } from '#ui/button';
import { CodeInput } from '#ui/code-input';
import { CopyButton } from '#ui/copy-button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';

export interface TotpEnrolmentProps {
  /** Name of the application afterwards; the account has no other of that name. */
  name: string;
  onDone: () => void;
  onCancel?: (() => void) | undefined;
}

/** Adding an application that gives codes (AU-17): a picture to scan or a key to type, then the first code. */
export function TotpEnrolment(props: TotpEnrolmentProps) {
  const [attempt, setAttempt] = useState(0);
  return <Enrolling key={attempt} {...props} onRetry={() => setAttempt(attempt + 1)} />;
}

function Enrolling({ name, onDone, onCancel, onRetry }: TotpEnrolmentProps & { onRetry: () => void }) {
  const { t } = useTranslation();
  const { enrolment, failure, keep } = useEnrolment(name);
  const [code, setCode] = useState('');
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<string>();

  if (failure) {
    return (
      <Notice tone="error" action={<Button onClick={onRetry}>{t('Réessayer')}</Button>}>
        {failure}
      </Notice>
    );
  }
  const confirm = async (digits: string) => {
    if (enrolment === undefined || pending) return;
    if (digits.length < 6) {
      setError(t('Saisissez les 6 chiffres affichés par l’application.'));
      return;
    }
    setPending(true);
    setError(undefined);
    // From here on it may be in force: leaving the page takes nothing back.
    keep();
    try {
      await confirmTotp(enrolment.factorId, digits);
      onDone();
    } catch (reason) {
      setError(messageOf(reason, t('Le code n’a pas pu être vérifié. Réessayez.')));
      setCode('');
      setPending(false);
    }
  };
  return (
    <ol className="flex flex-col gap-6">
      <Step index={1} title={t('Scannez ce code avec votre application')}>
        <p className="text-sm text-encre-soft">
          {t('Google Authenticator, Microsoft Authenticator, 1Password, Bitwarden… toutes conviennent.')}
        </p>
        <div className="mt-3 flex flex-wrap items-center gap-x-5 gap-y-3">
          {enrolment ? (
            <img
              src={enrolment.qrCode}
              alt={t('Code QR à scanner avec votre application d’authentification')}
              width={168}
              height={168}
              className="size-42 shrink-0 rounded-field border border-hairline"
            />
          ) : (
            <Skeleton className="size-42 rounded-field" />
          )}
          <div className="min-w-0 flex-1 basis-48">
            <p className="text-sm font-medium">{t('Vous ne pouvez pas scanner ?')}</p>
            <p className="text-sm text-encre-soft">{t('Saisissez cette clé dans l’application :')}</p>
            {enrolment ? (
              <>
                <p className="mt-2 font-mono text-sm leading-6 break-words select-all" data-secret>
                  {inFours(enrolment.secret)}
                </p>
                <div className="mt-2">
                  <CopyButton text={enrolment.secret} label={t('Copier la clé')} copiedLabel={t('Clé copiée')} />
                </div>
              </>
            ) : (
              <Skeleton className="mt-2 h-12 w-full" />
            )}
          </div>
        </div>
      </Step>
      <Step index={2} title={t('Saisissez le code qui s’affiche')}>
        <form
          method="post"
          noValidate
          className="mt-2 flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            void confirm(code);
          }}
        >
          <Field label={t('Code à 6 chiffres')} labelHidden hint={t('Il change toutes les 30 secondes.')} error={error}>
            <CodeInput value={code} onValueChange={setCode} onComplete={(digits) => void confirm(digits)} />
          </Field>
          <div className="flex flex-wrap gap-2">
            <Button type="submit" variant="primary" pending={pending} disabled={enrolment === undefined}>
              {t('Activer')}
            </Button>
            {onCancel && (
              <Button variant="quiet" disabled={pending} onClick={onCancel}>
                {t('Annuler')}
              </Button>
            )}
          </div>
        </form>
      </Step>
    </ol>
  );
}

function Step({ index, title, children }: { index: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <span
        aria-hidden
        className="tabular-digits mt-0.5 flex size-6 shrink-0 items-center justify-center rounded-full bg-sapin-tint text-sm font-medium text-sapin-strong"
      >
        {index}
      </span>
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        {children}
      </div>
    </li>
  );
}

/** A key in groups of four, as people read one aloud. */
function inFours(secret: string): string {
  return secret.match(/.{1,4}/gu)?.join(' ') ?? secret;
}

/** Begins on the server when the block appears, and takes it back if the person leaves before the first code. */
function useEnrolment(name: string) {
  const { t } = useTranslation();
  const [enrolment, setEnrolment] = useState<Enrolment>();
  const [failure, setFailure] = useState<string>();
  const isKept = useRef(false);
  // The enrolment is the server's.
  useEffect(() => {
    let left = false;
    let begun: Enrolment | undefined;
    const abandon = () => {
      if (begun && !isKept.current) void abandonTotp(begun.factorId).catch(() => undefined);
    };
    beginTotp(name).then(
      (started) => {
        begun = started;
        if (left) abandon();
        else setEnrolment(started);
      },
      (error: unknown) => {
        if (!left) setFailure(messageOf(error, t('L’activation n’a pas pu commencer. Réessayez.')));
      },
    );
    return () => {
      left = true;
      abandon();
    };
  }, [name, t]);
  return {
    enrolment,
    failure,
    keep: () => {
      isKept.current = true;
    },
  };
}
