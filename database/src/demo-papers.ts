import { mandateText, mandateVersionOf } from '@parrain/domain/mandate';
import { namesIn } from '@parrain/domain/payee';
import type { PayeeStatus } from '@parrain/domain/payee';

import type { Event, Person } from './demo.ts';

const address = { street: '12 rue des Lilas', postalCode: '35000', city: 'Rennes' };

/** The demo company as its papers name it (AC-07). */
const company = {
  legalName: 'Lumeo Habitat',
  address,
  siren: '732829320',
  siret: '73282932000009',
  vatNumber: 'FR44732829320',
  legalForm: 'SARL',
  capital: '20000',
  registryCity: 'Rennes',
};

type Details = {
  readonly status: PayeeStatus;
  readonly legalName?: string;
  readonly siren?: string;
  readonly siret?: string;
  readonly rna?: string;
  readonly chargesVat?: boolean;
  readonly vatNumber?: string;
  readonly legalForm?: string;
  readonly capital?: string;
  readonly registryCity?: string;
  readonly hasMandate?: boolean;
};

/** Details of those who are not what most are, by their place: most commercials are employed, most clients are particuliers. */
const commercialDetails: readonly Details[] = [
  {
    status: 'agent',
    siren: '443061841',
    siret: '44306184100005',
    registryCity: 'Rennes',
    chargesVat: false,
    hasMandate: true,
  },
];
const clientDetails: ReadonlyMap<number, Details> = new Map([
  [
    2,
    {
      status: 'societe',
      legalName: 'Atelier du Ponant',
      siren: '542051180',
      siret: '54205118000009',
      legalForm: 'SAS',
      capital: '5000',
      registryCity: 'Saint-Malo',
      chargesVat: true,
      vatNumber: 'FR59542051180',
      hasMandate: true,
    },
  ],
  [
    4,
    {
      status: 'societe',
      legalName: 'Maison Vernier',
      siren: '784671695',
      siret: '78467169500004',
      legalForm: 'SARL',
      capital: '8000',
      registryCity: 'Rennes',
      chargesVat: false,
    },
  ],
  [16, { status: 'micro', siren: '552100554', siret: '55210055400005', chargesVat: false, hasMandate: true }],
  [21, { status: 'association', legalName: 'Les Amis du Lac', rna: 'W351000001' }],
]);

/** Events by which the company has papers made, and everybody says beforehand what theirs are to say. */
export function papersOf(
  events: readonly Event[],
  people: { readonly admin: Person; readonly commercials: readonly Person[]; readonly clients: readonly Person[] },
  until: string,
): Event[] {
  const { admin, commercials, clients } = people;
  const opened = new Map(
    events.flatMap(({ at, call, args }) => (call === 'create_account' ? [[args['id'], at] as const] : [])),
  );
  const after = (person: Person, minutes: number) =>
    new Date(Date.parse(opened.get(person.id) ?? '') + minutes * 60_000).toISOString();
  const told = (person: Person, { hasMandate = false, ...own }: Details): Event[] => {
    const isNamed = own.status !== 'salarie';
    const legalName = own.legalName ?? person.name;
    const names =
      own.status === 'particulier' || own.status === 'micro' || own.status === 'agent' ? namesIn(legalName) : {};
    const details = { ...own, ...(isNamed ? { legalName, ...names, address } : {}) };
    const event = (minutes: number, call: Event['call'], args: object, actor = person): Event => ({
      at: after(person, minutes),
      actor: actor.id,
      call,
      args: { id: person.id, ...args },
    });
    const { siren, vatNumber = null } = own;
    if (!hasMandate || siren === undefined) return [event(2, 'tell_details', details)];
    const text = mandateText({ legalName, address, siren, vatNumber }, company);
    return [
      event(2, 'tell_details', details),
      event(3, 'give_mandate', { version: mandateVersionOf({ vatNumber }), text }),
      ...(vatNumber === null ? [] : [event(4, 'accept_vat', { payee: person.id, vatNumber }, admin)]),
    ];
  };
  return [
    { at: after(admin, 2), actor: admin.id, call: 'name_on_papers', args: { ...company, issues: true } },
    // From today on nobody is asked for anything: whoever tries the programme pays whom they like.
    { at: until, actor: admin.id, call: 'name_on_papers', args: { ...company, issues: false } },
    ...commercials.flatMap((person, i) => told(person, commercialDetails[i] ?? { status: 'salarie' })),
    ...clients.flatMap((person, i) => told(person, clientDetails.get(i) ?? { status: 'particulier' })),
  ];
}
