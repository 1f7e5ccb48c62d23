import { ArrowLeft } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

/** The way back, the same under every page of an account. */
export function BackToLogin() {
  const { t } = useTranslation();
  return (
    <Link
      to="/auth/login"
      className="mt-8 inline-flex items-center gap-1.5 self-start text-sm font-medium text-sapin underline-offset-4 hover:underline"
    >
      <ArrowLeft aria-hidden className="size-4" />
      {t('Retour à la connexion')}
    </Link>
  );
}
