import { formatEuros, fromWire } from './money.ts';

/** The controls that bind admins: none of them alone lifts or raises one at once (DF-24). */
const controls = ['release_above', 'require_admin_two_factor', 'hold_doubtful'] as const;
export type Control = (typeof controls)[number];

export const isControl = (word: string): word is Control => controls.some((control) => control === word);

/** Words of the requested change, to follow « demande de » or « a demandé de ». */
export function controlWords(control: Control, value: unknown): string {
  switch (control) {
    case 'release_above':
      return typeof value === 'number' || typeof value === 'string'
        ? `ne demander un second administrateur pour un virement groupé qu’au-dessus de ${formatEuros(fromWire(value))}`
        : 'ne plus demander de second administrateur pour les virements groupés';
    case 'require_admin_two_factor':
      return 'ne plus exiger la double authentification des administrateurs';
    case 'hold_doubtful':
      return 'ne plus retenir l’argent des cas douteux';
  }
}
