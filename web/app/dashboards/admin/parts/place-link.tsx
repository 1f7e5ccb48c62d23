import clsx from 'clsx';
import { Link } from 'react-router';
import type { ComponentProps } from 'react';
import { arrived } from '../../shell/use-section.ts';

/** A word in a text that leads to another record of the dashboard, whose panel closes back onto this place. */
export function PlaceLink({ className, ...link }: Omit<ComponentProps<typeof Link>, 'state'>) {
  return <Link {...link} state={arrived} className={clsx(inlineLinkClass, className)} />;
}

/** A word in a text that leads somewhere. */
export const inlineLinkClass =
  'underline decoration-edge/60 underline-offset-4 hover:text-sapin hover:decoration-current wrap-anywhere';
