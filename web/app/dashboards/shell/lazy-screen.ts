import type { ComponentType } from 'react';
import { lazyPart } from '#ui/lazy-part';
import type { Section, SectionProps } from './sections.ts';

/** A section's screen, whose code is a file of its own; `load` fetches it ahead. */
export function lazyScreen(
  load: () => Promise<{ default: ComponentType<SectionProps> }>,
): Pick<Section, 'Screen' | 'load'> {
  return { Screen: lazyPart(load), load };
}
