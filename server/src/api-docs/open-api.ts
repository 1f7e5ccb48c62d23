import type { ApiKeyScope } from '@parrain/domain/api-key';
import { apiKeyScopeLabels } from '@parrain/domain/api-key';
import { saleChoices } from '@parrain/domain/sale';

import type { Services } from '../platform/services.ts';
import { schemaCacheOf } from '../rest/index.ts';
import { programVersion } from '../platform/version.ts';

/** A table that keys read, as the database grants it. */
export type ReadTable = {
  readonly name: string;
  readonly summary: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
};

/** A field of a function's payload. */
type Field = { readonly type: 'string' | 'integer'; readonly description: string; readonly enum?: readonly string[] };

/** An action of a function that keys call. */
export type KeyAction = {
  readonly name: string;
  readonly action: string;
  readonly scope: ApiKeyScope;
  readonly summary: string;
  readonly required: readonly string[];
  readonly fields: Readonly<Record<string, Field>>;
};

/** Every action with a scope; a test compares them with the functions themselves. */
export const KEY_ACTIONS: readonly KeyAction[] = [
  {
    name: 'receive-referral',
    action: '',
    scope: 'referrals',
    summary:
      'Créer un parrainage, ou le faire avancer, par la référence de votre logiciel. Le même appel deux fois n’en fait qu’un. Aucun e-mail ne part vers l’ami.',
    required: ['source', 'reference'],
    fields: {
      source: { type: 'string', description: 'Le nom de votre logiciel, toujours le même.' },
      reference: { type: 'string', description: 'L’identifiant du parrainage dans votre logiciel.' },
      referrer_email: { type: 'string', description: 'Pour créer : l’adresse du client parrain.' },
      name: { type: 'string', description: 'Pour créer : le nom de la personne recommandée.' },
      email: { type: 'string', description: 'Son adresse ; celle-ci ou son téléphone.' },
      phone: { type: 'string', description: 'Son téléphone.' },
      status: { type: 'string', description: `Où il en est : ${saleChoices.join(', ')}.`, enum: saleChoices },
      contract_amount: { type: 'string', description: 'Le montant du contrat en euros, avec le statut « validated ».' },
      contract_description: { type: 'string', description: 'Ce que le contrat comprend, avec le montant.' },
    },
  },
  {
    name: 'payment-request',
    action: 'update_status',
    scope: 'payments',
    summary: 'Marquer payée une demande qu’un administrateur a approuvée.',
    required: ['request_id', 'status'],
    fields: {
      request_id: { type: 'string', description: 'La demande de paiement.' },
      status: { type: 'string', description: 'Toujours « paid ».', enum: ['paid'] },
      seen_version: {
        type: 'integer',
        description: 'La colonne version de la demande telle que vous l’avez lue. Si elle a changé, rien n’est payé.',
      },
      expected_amount: {
        type: 'string',
        description:
          'Le total qui part, TVA comprise (total), en euros, tel que vous l’avez lu : « 120.50 ». S’il a changé, rien n’est payé.',
      },
      settlement_reference: { type: 'string', description: 'La référence du paiement, facultative.' },
      paid_on: {
        type: 'string',
        description:
          'Le jour du paiement, « 2026-11-26 », celui d’aujourd’hui s’il n’est pas dit. La comptabilité suit ce jour.',
      },
    },
  },
];

const SUMMARIES: ReadonlyMap<string, string> = new Map([
  ['balances', 'Le compte de chaque bénéficiaire : gagné, repris, réservé, payé.'],
  ['commission_payments', 'Les commissions versées : une par bénéficiaire d’un contrat validé.'],
  ['commission_rates', 'Les barèmes de commission.'],
  [
    'commission_terms',
    'De chaque commission à paliers ou à plafonds, les règles et la position avec lesquelles elle a été calculée.',
  ],
  ['external_references', 'Les références que vos logiciels donnent aux parrainages.'],
  ['ledger_entries', 'Les mouvements des comptes, jamais modifiés.'],
  ['payment_requests', 'Les demandes de paiement des clients ; l’IBAN y est masqué.'],
  ['profiles', 'Les personnes : administrateurs, commerciaux et clients.'],
  [
    'sale_terms',
    'La version du barème que chaque contrat validé garde, et la raison quand ce n’est pas celle de son jour.',
  ],
  ['sales', 'Les parrainages et leurs contrats.'],
  [
    'scale_versions',
    'Les versions des barèmes, jamais modifiées : taux en centièmes de pour cent, montants en centimes.',
  ],
]);

/** The tables that the role of keys may read. */
export async function readTables(services: Services): Promise<readonly ReadTable[]> {
  const { relations } = await schemaCacheOf(services).get();
  const { rows } = await services.db.queryAsService<{ name: string }>(
    'API documentation',
    {
      text: `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace
        and c.relkind in ('r', 'v') and has_table_privilege('api_key', c.oid, 'select') order by 1`,
    },
    { readOnly: true },
  );
  return rows.flatMap(({ name }) => {
    const relation = relations.get(name);
    if (relation === undefined) return [];
    const columns = [...relation.columns.values()].map((column) => ({ name: column.name, type: column.type }));
    return [{ name, summary: SUMMARIES.get(name) ?? name, columns }];
  });
}

/** The address of an action. */
export function addressOf({ name, action }: Pick<KeyAction, 'name' | 'action'>): string {
  return `/functions/v1/${name}${action === '' ? '' : `?action=${action}`}`;
}

/** OpenAPI 3.1 description of the API that keys may call. */
export function openApi(address: string, tables: readonly ReadTable[]): Readonly<Record<string, unknown>> {
  return {
    openapi: '3.1.0',
    info: { title: 'API de Parrain', version: programVersion },
    servers: [{ url: address }],
    security: [{ key: [] }],
    paths: Object.fromEntries([
      ...tables.map((table) => [`/rest/v1/${table.name}`, { get: readingOf(table) }]),
      ...KEY_ACTIONS.map((action) => [addressOf(action), { post: callOf(action) }]),
    ]),
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', bearerFormat: 'prk_…' } },
      schemas: Object.fromEntries(
        tables.map(({ name, columns }) => [
          name,
          { type: 'object', properties: Object.fromEntries(columns.map((column) => [column.name, schemaOf(column)])) },
        ]),
      ),
    },
  };
}

function readingOf({ name, summary }: ReadTable): unknown {
  const parameter = (parameterName: string, description: string) => ({
    name: parameterName,
    in: 'query',
    description,
    schema: { type: 'string' },
  });
  return {
    summary,
    description: `Droit « ${apiKeyScopeLabels.read} ».`,
    parameters: [
      parameter('select', 'Les colonnes : id,status'),
      parameter('order', 'Le tri : created_at.desc'),
      parameter('limit', 'Le nombre de lignes, 1 000 au plus'),
      parameter('offset', 'Les lignes passées avant la première'),
    ],
    responses: {
      200: {
        description: 'Les lignes',
        content: {
          'application/json': { schema: { type: 'array', items: { $ref: `#/components/schemas/${name}` } } },
        },
      },
    },
  };
}

function callOf({ summary, scope, required, fields }: KeyAction): unknown {
  return {
    summary,
    description: `Droit « ${apiKeyScopeLabels[scope]} ».`,
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description: 'La même valeur répétée n’a qu’un effet.',
        schema: { type: 'string', minLength: 1, maxLength: 200 },
      },
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object', required, properties: fields } } },
    },
    responses: { 200: { description: 'C’est fait' }, 403: { description: 'Le droit manque' } },
  };
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['smallint', 'integer'],
  ['integer', 'integer'],
  ['bigint', 'integer'],
  ['numeric', 'number'],
  ['boolean', 'boolean'],
]);

function schemaOf({ type }: { readonly type: string }): Readonly<Record<string, unknown>> {
  const bare = type.replace(/\(.*\)/u, '');
  if (bare === 'jsonb') return {};
  return { type: [TYPES.get(bare) ?? 'string', 'null'], format: type };
}
