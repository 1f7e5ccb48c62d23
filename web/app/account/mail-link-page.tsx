import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { Notice } from '#ui/notice';

export interface MailLinkPageProps {
  title: string;
  text: string;
  button: string;
  /** Acts with the token of the address; gives the sentence that says what is so from now on. */
  act: (token: string) => Promise<string>;
  /** Stands below the button until it is pressed. */
  children?: ReactNode;
}

/**
 * Page where the link of a mail leads to one act, without a session. A button runs the act, not the link itself: programs that open the
 * links of mails to inspect them decide nothing.
 */
export function MailLinkPage({ title, text, button, act, children }: MailLinkPageProps) {
  const { t } = useTranslation();
  const [progress, setProgress] = useState<Progress>({ step: 'asked' });

  const confirm = async () => {
    setProgress({ step: 'sending' });
    try {
      setProgress({ step: 'done', outcome: await act(window.location.hash.slice(1)) });
    } catch (error) {
      setProgress({ step: 'failed', why: messageOf(error, t('Votre choix n’a pas pu être enregistré. Réessayez.')) });
    }
  };

  if (progress.step === 'done') {
    return (
      <>
        <h1 tabIndex={-1} className="text-xl">
          {t('C’est noté')}
        </h1>
        <Notice tone="success" className="mt-6">
          {progress.outcome}
        </Notice>
      </>
    );
  }
  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {title}
      </h1>
      <p className="mt-1 text-encre-soft">{text}</p>
      {progress.step === 'failed' && (
        <Notice tone="error" className="mt-6">
          {progress.why}
        </Notice>
      )}
      <Button
        variant="primary"
        size="lg"
        className="mt-6 w-full"
        pending={progress.step === 'sending'}
        onClick={() => void confirm()}
      >
        {button}
      </Button>
      {children}
    </>
  );
}

type Progress = { step: 'asked' | 'sending' } | { step: 'done'; outcome: string } | { step: 'failed'; why: string };
