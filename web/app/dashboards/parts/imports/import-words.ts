import type { ImportKind } from '@parrain/domain/forms/import';

/** Words of an import's screens for what its lines become. */
interface ImportWords {
  readonly title: string;
  readonly fileHint: string;
  readonly one: string;
  readonly many: string;
  readonly ready: readonly [one: string, many: string];
  readonly written: readonly [one: string, many: string];
  readonly undoing: string;
  readonly remove: string;
}

export const importWords: Readonly<Record<ImportKind, ImportWords>> = {
  clients: {
    title: 'Importer des clients',
    fileHint:
      'Un fichier CSV, Excel (.xlsx) ou LibreOffice (.ods), une personne par ligne : au moins son nom et son e-mail.',
    one: 'client',
    many: 'clients',
    ready: ['client à importer', 'clients à importer'],
    written: ['client importé', 'clients importés'],
    undoing:
      'Ses clients sont supprimés, avec les invitations qui attendent. Restent ceux qui se sont connectés, ont un parrainage ou ont été modifiés depuis.',
    remove: 'Supprimer ces clients',
  },
  referrals: {
    title: 'Importer des parrainages',
    fileHint:
      'Un fichier CSV, Excel (.xlsx) ou LibreOffice (.ods), un filleul par ligne : au moins son nom, son e-mail ou son téléphone, et l’e-mail ou l’identifiant de son parrain.',
    one: 'parrainage',
    many: 'parrainages',
    ready: ['parrainage à importer', 'parrainages à importer'],
    written: ['parrainage importé', 'parrainages importés'],
    undoing:
      'Ses parrainages sont supprimés. Restent ceux qui ont été suivis ou modifiés, ou dont le filleul a répondu.',
    remove: 'Supprimer ces parrainages',
  },
};
