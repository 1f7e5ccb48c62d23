import { startTransition, StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { HydratedRouter } from 'react-router/dom';
import { isInVain, sayInVain } from './starts.ts';

/**
 * The application takes the written page over. What an address shows is drawn at one go: in a transition, React would cut the
 * work into slices of 5 ms, and the browser would draw the section that is being left between one and the next (P10).
 */
if (isInVain()) sayInVain();
else
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <HydratedRouter useTransitions={false} />
      </StrictMode>,
    );
  });
