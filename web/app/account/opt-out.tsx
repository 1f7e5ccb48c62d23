import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { optOut } from '#api/people/opt-out';
import { Button } from '#ui/button';
import { Notice } from '#ui/notice';

export const meta = () => [
  { title: 'Ne plus être contacté – Parrain' },
  { name: 'robots', content: 'noindex' },
  { name: 'referrer', content: 'no-referrer' },
];

type Progress = { step: 'asked' | 'sending' | 'done' } | { step: 'failed'; why: string };

/**
 * Where a referred friend says no (F-15), without an account. A button and not the link itself: programs that open the links
 * of mails to inspect them decide nothing.
 */
export default function OptOut() {
  const { t } = useTranslation();
  const [progress, setProgress] = useState<Progress>({ step: 'asked' });

  const confirm = async () => {
    setProgress({ step: 'sending' });
    try {
      await optOut(window.location.hash.slice(1));
      setProgress({ step: 'done' });
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
          {t('Vous ne serez plus contacté, et vos coordonnées sont effacées. Vous pouvez fermer cette page.')}
        </Notice>
      </>
    );
  }
  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Ne plus être contacté')}
      </h1>
      <p className="mt-1 text-encre-soft">
        {t(
          'Un proche nous a donné votre adresse pour vous recommander nos services. Dites-nous de vous laisser tranquille : vos coordonnées seront effacées, et personne ne pourra plus vous inviter.',
        )}
      </p>
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
        {t('Ne plus me contacter')}
      </Button>
    </>
  );
}
