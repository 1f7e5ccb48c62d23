import { firstSteps, type FirstStep, type FirstSteps } from '@parrain/domain/first-steps';
import { ListTodo } from 'lucide-react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

/** UI-07: the first steps that were put off, each with the way to where it is done. */
export default function UndoneSteps({ steps }: { steps: FirstSteps }) {
  const { t } = useTranslation();
  const undone = firstSteps.filter((step) => isUndone(steps, step));
  if (undone.length === 0) return null;
  return (
    <li className="flex min-h-16 items-center gap-4 px-5 py-3">
      <ListTodo aria-hidden className="size-5 shrink-0 text-corail" />
      <p className="min-w-0 text-encre">
        {t('À compléter :')}{' '}
        {undone.map((step, index) => (
          <Fragment key={step}>
            {index > 0 && ' · '}
            <Link to={places[step].to} className="font-medium text-sapin underline-offset-4 hover:underline">
              {t(places[step].label)}
            </Link>
          </Fragment>
        ))}
      </p>
    </li>
  );
}

/** Without a mail server nothing can be tried, and of an old company the mails of its beginning are not looked for. */
function isUndone({ done, isEmpty, isMailConfigured }: FirstSteps, step: FirstStep): boolean {
  return !done.includes(step) && (step !== 'mail' || (isEmpty && isMailConfigured));
}

const places: Readonly<Record<FirstStep, { label: string; to: string }>> = {
  company: { label: 'Nom et logo de l’entreprise', to: '?section=reglages&parametres=nom' },
  scale: { label: 'Barème de commission', to: '?section=commissions' },
  commercial: { label: 'Premier commercial', to: '?section=commerciaux' },
  mail: { label: 'Essai des e-mails', to: '?section=etat-du-systeme' },
  legal: { label: 'Mentions légales', to: '?section=reglages&bloc=mentions' },
};
