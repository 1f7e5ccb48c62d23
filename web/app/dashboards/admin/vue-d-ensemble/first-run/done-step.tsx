import type { FirstStep } from '@parrain/domain/first-steps';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Button } from '#ui/button';
import { Notice } from '#ui/notice';
import { BackButton } from './step-foot.tsx';

interface DoneStepProps {
  step: Exclude<FirstStep, 'company'>;
  onBack: (() => void) | undefined;
  onDone: () => void;
}

/** A step that one comes back to: it is done, and what it made stands in its section. */
export function DoneStep({ step, onBack, onDone }: DoneStepProps) {
  const { t } = useTranslation();
  const [sentence, place, word] = {
    scale: [t('Votre barème est en place.'), 'commissions', t('Voir les barèmes')],
    commercial: [t('Votre premier commercial a son compte.'), 'commerciaux', t('Voir les commerciaux')],
    mail: [t('Vos e-mails partent et arrivent.'), 'messages-envoyes', t('Voir les messages envoyés')],
    legal: [t('Vos mentions légales sont remplies.'), 'reglages', t('Voir les réglages')],
  }[step] as [string, string, string];
  return (
    <div className="flex flex-col gap-5">
      <Notice tone="success">
        {sentence}{' '}
        <Link to={`?section=${place}`} className="underline underline-offset-2">
          {word}
        </Link>
      </Notice>
      <div className="flex flex-wrap items-center gap-2">
        <Button variant="primary" onClick={onDone}>
          {t('Continuer')}
        </Button>
        {onBack && <BackButton onBack={onBack} />}
      </div>
    </div>
  );
}
