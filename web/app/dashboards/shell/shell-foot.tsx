import { useTranslation } from 'react-i18next';
import { ThemeSwitch } from '#ui/theme-switch';
import { Wordmark } from '#ui/wordmark';

/** Under the menu, or under the page on a phone: how it looks, and what the law wants at hand on every page (DF-86). */
export default function ShellFoot() {
  const { t } = useTranslation();
  const links = [
    { href: '/pages/accessibilite', label: t('Accessibilité') },
    { href: '/pages/mentions-legales', label: t('Mentions légales') },
    { href: '/pages/confidentialite', label: t('Confidentialité') },
  ];
  return (
    <>
      <ThemeSwitch />
      <div className="flex flex-wrap gap-x-3 gap-y-1 px-2 text-sm text-encre-faint max-lg:justify-center max-lg:gap-x-5">
        {links.map(({ href, label }) => (
          <a key={href} href={href} className="hover:text-encre hover:underline max-lg:py-2">
            {label}
          </a>
        ))}
        <a href="/" className="hover:text-encre max-lg:py-2">
          {t('Propulsé par')} <Wordmark className="text-base text-encre" />
        </a>
      </div>
    </>
  );
}
