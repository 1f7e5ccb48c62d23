import { firstSteps, type FirstStep } from '@parrain/domain/first-steps';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { stepWords } from './step-words.ts';

interface StepHeadProps {
  step: FirstStep;
  place: number;
  /** One came here from another step: the title takes the focus, for the keyboard and to be read out. */
  isMoved: boolean;
}

/** « 1 sur 5 », what the step asks, and what for. */
export function StepHead({ step, place, isMoved }: StepHeadProps) {
  const { t } = useTranslation();
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isMoved) title.current?.focus();
  }, [isMoved]);
  return (
    <header className="mb-6">
      <p className="tabular-digits text-sm text-encre-faint">
        {t('{{place}} sur {{count}}', { place: place + 1, count: firstSteps.length })}
      </p>
      <h3 ref={title} tabIndex={-1} className="mt-1 text-xl text-balance outline-none">
        {t(stepWords[step].title)}
      </h3>
      <p className="mt-1.5 text-encre-soft text-pretty">{t(stepWords[step].text)}</p>
    </header>
  );
}
