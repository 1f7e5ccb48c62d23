import { useId, type ReactNode } from 'react';

/** One part of the profile: what it is about stands beside its cards on a wide screen, above them on a phone. */
export function ProfileGroup({
  title,
  description,
  children,
}: {
  title: string;
  description: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="grid items-start gap-x-8 gap-y-4 border-t border-hairline pt-6 pb-8 xl:grid-cols-[14rem_minmax(0,1fr)] xl:pt-8 xl:pb-10"
    >
      <div className="xl:sticky xl:top-24">
        <h3 id={id} className="text-lg">
          {title}
        </h3>
        <p className="mt-0.5 max-w-[60ch] text-sm text-encre-soft">{description}</p>
      </div>
      <div className="flex min-w-0 flex-col gap-4">{children}</div>
    </section>
  );
}
