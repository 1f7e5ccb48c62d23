import { Fragment } from 'react';

/** An e-mail address that breaks at its @ and its dots where it must; in the middle of a word only where one is wider than its place. */
export function EmailText({ email }: { email: string }) {
  return (
    <span className="[overflow-wrap:break-word]">
      {email.split(/(?=@)|(?<=[.\-_+])/u).map((part, index) => (
        // An address is text: its parts never change places.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}
