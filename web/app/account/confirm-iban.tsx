import { useTranslation } from 'react-i18next';
import { confirmIban } from '#api/payments/confirm-iban';
import { MailLinkPage } from './mail-link-page.tsx';

export const meta = () => [
  { title: 'Confirmer votre IBAN – Parrain' },
  { name: 'robots', content: 'noindex' },
  { name: 'referrer', content: 'no-referrer' },
];

/** PO-04: where the owner of a changed account says that it is theirs, without signing in. */
export default function ConfirmIban() {
  const { t } = useTranslation();
  return (
    <MailLinkPage
      title={t('Confirmer votre IBAN')}
      text={t(
        'Si vous avez bien donné ce nouveau compte, confirmez-le : il pourra servir dès maintenant. Sinon, fermez cette page, changez votre mot de passe et prévenez votre entreprise.',
      )}
      button={t('Confirmer cet IBAN')}
      act={confirmIban}
    />
  );
}
