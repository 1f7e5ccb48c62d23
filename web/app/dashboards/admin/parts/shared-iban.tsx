import { Users } from 'lucide-react';
import { useTranslation } from 'react-i18next';

/** PO-04: the same account on two people, a case to look at before paying. Nothing where it is one person's alone. */
export function SharedIban({ names }: { names: string | null }) {
  const { t } = useTranslation();
  if (names === null) return null;
  return (
    <span className="mt-0.5 flex items-start gap-1.5 text-sm text-amber [&_svg]:mt-0.5 [&_svg]:size-3.5 [&_svg]:shrink-0">
      <Users aria-hidden />
      <span className="min-w-0 break-words">{t('Même IBAN que {{names}}', { names })}</span>
    </span>
  );
}
