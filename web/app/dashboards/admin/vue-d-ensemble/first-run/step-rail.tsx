import { firstSteps, stepState, type FirstStep, type FirstSteps } from '@parrain/domain/first-steps';
import clsx from 'clsx';
import { Check } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { stepWords } from './step-words.ts';

interface StepRailProps {
  steps: FirstSteps;
  shown: FirstStep;
  onChoose: (step: FirstStep) => void;
}

/** The five steps in a row, each with where it stands and the way to it; a phone has room for their numbers alone. */
export function StepRail({ steps, shown, onChoose }: StepRailProps) {
  const { t } = useTranslation();
  const words = { done: t('fait'), skipped: t('plus tard'), open: t('à faire') };
  return (
    <nav aria-label={t('Démarrer')} className="border-b border-hairline bg-papier px-4 py-2 sm:px-5">
      <ol className="flex flex-wrap items-center gap-x-1 gap-y-1">
        {firstSteps.map((step, index) => {
          const state = stepState(steps, step);
          const isShown = step === shown;
          return (
            <li key={step}>
              <button
                type="button"
                aria-current={isShown ? 'step' : undefined}
                onClick={() => onChoose(step)}
                className={clsx(
                  'tap-target flex min-h-11 items-center gap-2 rounded-field px-2 text-sm transition-colors duration-120 hover:bg-well',
                  isShown ? 'font-semibold text-encre' : 'text-encre-soft',
                )}
              >
                <span
                  aria-hidden
                  className={clsx(
                    'tabular-digits flex size-6 shrink-0 items-center justify-center rounded-full text-sm [&_svg]:size-3.5',
                    state === 'done'
                      ? 'bg-sapin text-on-sapin'
                      : isShown
                        ? 'border-2 border-sapin font-semibold text-sapin-strong'
                        : clsx('border border-edge', state === 'skipped' && 'border-dashed'),
                  )}
                >
                  {state === 'done' ? <Check /> : index + 1}
                </span>
                <span className="max-sm:sr-only">{t(stepWords[step].name)}</span>
                <span className="sr-only">, {words[state]}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
