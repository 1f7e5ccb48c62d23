import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { lazyPart } from './lazy-part.tsx';

const Word = ({ word }: { word: string }) => <b>{word}</b>;

test('[R-01] a part whose code was fetched ahead stands in the first picture', async () => {
  const Part = lazyPart(async () => ({ default: Word }), <i>…</i>);
  expect(renderToStaticMarkup(<Part word="Ventes" />)).toBe('<i>…</i>');
  await Part.load();
  expect(renderToStaticMarkup(<Part word="Ventes" />)).toBe('<b>Ventes</b>');
});

test('[R-01] code that could not be fetched ahead is fetched at the next attempt', async () => {
  let tries = 0;
  const Part = lazyPart(async () => {
    tries += 1;
    if (tries === 1) throw new TypeError('Failed to fetch dynamically imported module');
    return { default: Word };
  });
  await expect(Part.load()).rejects.toThrow(TypeError);
  await Part.load();
  expect(renderToStaticMarkup(<Part word="Clients" />)).toBe('<b>Clients</b>');
});
