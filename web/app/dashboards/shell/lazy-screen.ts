import type { ComponentType } from 'react';
import { lazyCode } from '#ui/lazy-part';
import type { Section, SectionProps } from './sections.ts';

/** A section's screen, whose code is a file of its own. */
export function lazyScreen(load: () => Promise<{ default: ComponentType<SectionProps> }>): Pick<Section, 'screen'> {
  return { screen: lazyCode(load) };
}
