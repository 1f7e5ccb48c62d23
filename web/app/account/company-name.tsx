import { Wordmark } from '#ui/wordmark';

/**
 * Names at the head of the sign-in (UI-14): the company's, where it has one of its own, and Parrain beside it; else Parrain. The server
 * writes the name into the document, for the script, and into its place, for the first picture (server/src/site.ts): both are one text.
 */
export function CompanyName() {
  const company = typeof document === 'undefined' ? '' : (document.documentElement.dataset['company'] ?? '');
  return (
    <>
      <span className="hidden items-baseline gap-x-2.5 in-data-[company]:flex">
        <span data-company="" className="min-w-0 truncate font-heading font-semibold tracking-[-0.03em]">
          {company}
        </span>
        <span className="shrink-0 text-sm text-encre-soft">
          avec <Wordmark />
        </span>
      </span>
      <span className="in-data-[company]:hidden">
        <Wordmark />
      </span>
    </>
  );
}
