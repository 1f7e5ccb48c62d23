/** A longer text of a record under its name; nothing where there is none. */
export function TextBlock({ label, text }: { label: string; text: string | null }) {
  if (text === null) return null;
  return (
    <div>
      <h3 className="font-sans text-sm font-normal tracking-normal text-encre-soft">{label}</h3>
      <p className="mt-0.5 break-words whitespace-pre-line">{text}</p>
    </div>
  );
}
