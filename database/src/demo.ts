import { maskedIban } from '@parrain/domain/iban';
import { bankRejection, nextBankDay } from '@parrain/domain/sepa';
import type { ClientBase } from 'pg';

import { friendLastNames, firstNames, lastNames, contracts, messages, refusals } from './demo-words.ts';

/** The demo company's accounts, all with one password. */
export const demoPassword = 'Demo-Parrain-2026';
export const demoAccounts = [
  { role: 'admin', email: 'admin@demo.example' },
  { role: 'commercial', email: 'commercial@demo.example' },
  { role: 'client', email: 'client@demo.example' },
] as const;

type Person = { readonly id: string; readonly name: string; readonly email: string };
type Call =
  | 'create_account'
  | 'create_scale'
  | 'publish_version'
  | 'invite_friend'
  | 'update_sale_status'
  | 'validate_sale'
  | 'refuse_sale'
  | 'cancel_validation'
  | 'request_payment'
  | 'decide_payment'
  | 'decide_case'
  | 'name_company'
  | 'set_company_account'
  | 'make_batch'
  | 'release_batch'
  | 'send_batch'
  | 'settle_batch';

/** One thing that happened to the demo company: when, who did it, and with what. */
type Event = {
  readonly at: string;
  readonly actor: string | null;
  readonly call: Call;
  /** Name of the created row in later events. */
  readonly key?: string;
  readonly args: Record<string, unknown>;
};

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A batch that is being released: the maker of its file is the server (PO-01). */
export type DemoBatch = {
  readonly batchId: string;
  readonly executionOn: string;
  readonly madeAt: string;
  readonly companyName: string;
  readonly orders: readonly {
    readonly request_id: string;
    readonly amount: string;
    readonly details_sealed: Buffer;
    readonly account_sealed: Buffer;
  }[];
};

type DemoOptions = {
  readonly passwordHash: string;
  readonly sealDetails: (details: Record<string, string>) => Buffer;
  /** Keyed hash that identifies an account without its digits (PO-04). */
  readonly markIban: (iban: string) => Buffer;
  readonly sealAccount: (account: {
    readonly holder: string;
    readonly iban: string;
    readonly bic: string | null;
  }) => Buffer;
  readonly bankFile: (batch: DemoBatch) => { readonly sealed: Buffer; readonly sha256: Buffer };
  readonly today: Date;
};

/**
 * Tells a year of the demo company's life through the product's own functions, in order of time, so that every rule held
 * and the audit trail is the true one. Every row is flagged as test data (P-05). Does nothing where somebody is already there.
 *
 * `client` is connected as the owner of the database. `passwordHash` is the hash of {@link demoPassword}; `sealDetails`
 * seals payment details as the server does (V-18), `markIban` recognises an account, `sealAccount` the company's account (PO-04), and `bankFile` makes and seals the file
 * of a batch (PO-01); `today` is when the history ends.
 */
export async function loadDemo(client: ClientBase, options: DemoOptions): Promise<boolean> {
  await client.query('begin');
  try {
    // Two nodes that start at once on an empty database: the second waits, then finds the company there.
    await client.query(`select pg_advisory_xact_lock(hashtext('parrain.demo'))`);
    const { rows } = await client.query<{ empty: boolean }>(
      'select not exists (select 1 from public.profiles) as empty',
    );
    if (rows[0]?.empty !== true) {
      await client.query('rollback');
      return false;
    }
    await client.query(TELL);
    const events = history(options).toSorted((a, b) => a.at.localeCompare(b.at));
    await tell(client, events, options.bankFile);
    await client.query(LEGAL_NOTICE);
    await client.query('commit');
    return true;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** Legal notice of the demo company (DF-47): its accessibility was not audited. */
const LEGAL_NOTICE = `insert into private.legal_notice
    (publisher, registration, address, director, email, phone, host, host_address, host_phone)
  values ('Lumeo Habitat, SARL au capital de 20 000 €', 'RCS Rennes 732 829 320', '12 rue des Lilas, 35000 Rennes', 'Claire Fontaine',
    'bonjour@demo.example', '02 99 00 00 00', 'Hébergeur de démonstration', '1 place de l’Exemple, 75001 Paris', '01 00 00 00 00')`;

/** The events in their order; a release stops the telling, for the file is made outside of the database. */
async function tell(client: ClientBase, events: readonly Event[], bankFile: DemoOptions['bankFile']): Promise<void> {
  let named: Record<string, string> = {};
  let from = 0;
  while (from < events.length) {
    const release = events.findIndex((event, i) => i >= from && event.call === 'release_batch');
    const until = release === -1 ? events.length : release;
    const { rows } = await client.query<{ named: Record<string, string> }>('select pg_temp.tell($1, $2) as named', [
      JSON.stringify(events.slice(from, until)),
      JSON.stringify(named),
    ]);
    named = rows[0]?.named ?? named;
    const event = events[until];
    if (event !== undefined) await releaseBatch(client, event, named, bankFile);
    from = until + 1;
  }
}

/** Releases a draft as the server does: its file is made from what is read under the locks of its lines. */
async function releaseBatch(
  client: ClientBase,
  event: Event,
  named: Readonly<Record<string, string>>,
  bankFile: DemoOptions['bankFile'],
): Promise<void> {
  const batchId = named[String(event.args['batch'])];
  if (batchId === undefined) return;
  await client.query('select pg_temp.act_as($1)', [JSON.stringify(event)]);
  const { rows } = await client.query<{ version: number; total: string; made_at: string; company_name: string }>(
    `select b.version, b.total, to_char(private.now() at time zone 'Europe/Paris', 'YYYY-MM-DD"T"HH24:MI:SS') as made_at, c.company_name
     from public.batch_summaries b cross join public.company_settings c where b.id = $1`,
    [batchId],
  );
  const [draft] = rows;
  if (draft === undefined) throw new Error('A batch of the demo is gone');
  const executionOn = nextBankDay(new Date(event.at));
  const seen = [batchId, draft.version, draft.total, executionOn];
  const { rows: orders } = await client.query<DemoBatch['orders'][number]>(
    'select request_id, amount, details_sealed, account_sealed from private.batch_orders($1, $2, $3::numeric, $4::date)',
    seen,
  );
  const file = bankFile({ batchId, executionOn, madeAt: draft.made_at, companyName: draft.company_name, orders });
  await client.query('select private.release_batch($1, $2, $3::numeric, $4::date, $5, $6, $7)', [
    ...seen,
    '09',
    file.sealed,
    file.sha256,
  ]);
}

/** Runs the events one after the other, each as its actor and at its time. Refusals of a payment that nothing covers are part of life. */
const TELL = `
create function pg_temp.act_as(e jsonb) returns void language plpgsql as $$
declare
  actor_role text;
begin
  select p.role into actor_role from public.profiles p where p.id = (e ->> 'actor')::uuid;
  perform set_config('app.at', e ->> 'at', true), set_config('app.user_id', coalesce(e ->> 'actor', ''), true),
    set_config('app.user_role', coalesce(actor_role, ''), true), set_config('app.actor', 'demo', true);
end
$$;
create function pg_temp.tell(events jsonb, ids jsonb) returns jsonb language plpgsql as $$
declare
  e jsonb;
  a jsonb;
  created uuid;
begin
  for e in select * from jsonb_array_elements(events) loop
    a := e -> 'args';
    created := null;
    perform pg_temp.act_as(e);
    case e ->> 'call'
      when 'create_account' then
        perform private.create_account((a ->> 'id')::uuid, a ->> 'email', a ->> 'hash', a ->> 'role', a ->> 'name', a ->> 'phone',
          (a ->> 'commercial')::uuid, a ->> 'company', a ->> 'notes', true);
        perform private.prove_email((a ->> 'id')::uuid);
      when 'name_company' then
        perform private.update_company_name(a ->> 'name');
        perform private.set_public_page(a -> 'page');
      when 'create_scale' then
        select r.id into created from private.create_commission_rate(a ->> 'name', a ->> 'description', a ->> 'clientType',
          (a ->> 'clientAmount')::numeric, a ->> 'commercialType', (a ->> 'commercialAmount')::numeric, (ids ->> (a ->> 'replaces'))::uuid,
          p_from_contract_amount => (a ->> 'fromContractAmount')::numeric) r;
      when 'publish_version' then
        perform private.publish_scale_version((ids ->> (a ->> 'scale'))::uuid, 1, null, a ->> 'name', null, a ->> 'clientType',
          (a ->> 'clientAmount')::numeric, a ->> 'commercialType', (a ->> 'commercialAmount')::numeric);
      when 'invite_friend' then
        select s.id into created from private.invite_friend(a ->> 'name', a ->> 'email', a ->> 'phone', a ->> 'message') s;
      when 'update_sale_status' then
        perform private.update_sale_status((ids ->> (a ->> 'sale'))::uuid, a ->> 'status', (a ->> 'amount')::numeric, a ->> 'description', a ->> 'notes');
      when 'validate_sale' then
        perform private.validate_sale(s.id, r.id, s.version, s.contract_amount,
            private.commission(r.client_commission_type, r.client_commission_amount, s.contract_amount),
            private.commission(r.commercial_commission_type, r.commercial_commission_amount, s.contract_amount))
          from public.sales s, private.scale_for((ids ->> (a ->> 'scale'))::uuid, s.commission_rate) r
          where s.id = (ids ->> (a ->> 'sale'))::uuid;
      when 'refuse_sale' then
        perform private.refuse_sale(s.id, a ->> 'reason', s.version) from public.sales s where s.id = (ids ->> (a ->> 'sale'))::uuid;
      when 'cancel_validation' then
        perform private.cancel_validation(s.id, a ->> 'reason', s.version, s.client_commission_amount, s.commercial_commission_amount)
          from public.sales s where s.id = (ids ->> (a ->> 'sale'))::uuid;
      when 'request_payment' then
        begin
          select r.id into created from private.request_payment(
            least((a ->> 'amount')::numeric, (select b.earned - b.reversed - b.held - b.reserved - b.paid from public.balances b where b.profile_id = (e ->> 'actor')::uuid)),
            a ->> 'method', a -> 'details', decode(a ->> 'sealed', 'base64'), decode(a ->> 'mark', 'base64')) r;
        exception when sqlstate 'PR001' then created := null;
        end;
      when 'decide_payment' then
        if ids ? (a ->> 'request') then
          perform private.decide_payment_request(r.id, a ->> 'status', a ->> 'notes', null, r.version, r.amount + coalesce(r.vat_amount, 0))
            from public.payment_requests r where r.id = (ids ->> (a ->> 'request'))::uuid;
        end if;
      when 'decide_case' then
        perform private.decide_doubtful_case(c.id, a ->> 'decision', a ->> 'reason', c.version)
          from public.doubtful_cases c where c.sale_id = (ids ->> (a ->> 'sale'))::uuid;
      when 'set_company_account' then
        perform private.set_company_account(a ->> 'holder', a ->> 'iban', a ->> 'bic', decode(a ->> 'sealed', 'base64'));
      when 'make_batch' then
        select private.make_batch(array_agg(t.id), sum(t.amount)) into created from public.transfers_to_make t
          where t.obstacle is null and t.id in (select (ids ->> k)::uuid from jsonb_array_elements_text(a -> 'requests') k)
          having count(*) > 0;
      when 'send_batch' then
        perform private.send_batch(b.id, b.version) from public.payment_batches b where b.id = (ids ->> (a ->> 'batch'))::uuid;
      when 'settle_batch' then
        -- The bank rejects the transfer that was asked for last, and pays the others.
        perform private.settle_batch(l.batch_id, jsonb_build_array(
            jsonb_build_object('request_id', l.request_id, 'status', 'rejected', 'code', a ->> 'code', 'reason', a ->> 'reason')))
          from (select b.* from public.payment_batch_lines b join public.payment_requests r on r.id = b.request_id
            where b.batch_id = (ids ->> (a ->> 'batch'))::uuid order by r.created_at desc, r.id limit 1) l;
        perform private.settle_batch(b.id, null) from public.payment_batches b where b.id = (ids ->> (a ->> 'batch'))::uuid;
    end case;
    if created is not null then ids := ids || jsonb_build_object(e ->> 'key', created); end if;
  end loop;
  return ids;
end
$$`;

function history(options: DemoOptions): Event[] {
  const random = seededRandom(20_261_121);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const between = (low: number, high: number) => low + random() * (high - low);
  const end = options.today.getTime();
  const events: Event[] = [];
  /** `daysAgo` before the end, in office hours, and never in the future. */
  const at = (daysAgo: number) => {
    const day = new Date(end - daysAgo * DAY_MS);
    day.setUTCHours(8, 0, 0, 0);
    const moment = day.getTime() + Math.floor(between(0, 9 * HOUR_MS));
    return new Date(Math.min(moment, end - Math.floor(between(60_000, 2 * HOUR_MS)))).toISOString();
  };
  let people = 0;
  const uuid = () => {
    people += 1;
    const hex = Math.floor(random() * 0xffff_ffff)
      .toString(16)
      .padStart(8, '0');
    return `${hex}-d3a0-4000-8000-${people.toString(16).padStart(12, '0')}`;
  };
  const phone = () => `06 ${[0, 1, 2, 3].map(() => Math.floor(between(10, 99))).join(' ')}`;
  const phones = new Map<string, string>();
  const account = (person: Person, role: string, daysAgo: number, more: Record<string, unknown> = {}) => {
    const moment = at(daysAgo);
    phones.set(person.id, phone());
    events.push({
      at: moment,
      actor: (more['actor'] as string | undefined) ?? null,
      call: 'create_account',
      args: {
        id: person.id,
        email: person.email,
        hash: options.passwordHash,
        role,
        name: person.name,
        phone: phones.get(person.id),
        ...more,
      },
    });
  };

  const admin = { id: uuid(), name: 'Claire Fontaine', email: 'admin@demo.example' };
  account(admin, 'admin', 372);
  const page = {
    presentation: 'Chauffage, isolation et panneaux solaires, à Rennes et alentour.',
    friend_gain: 'Un bilan énergétique de votre maison offert, sans engagement.',
    answer_days: 2,
  };
  events.push({ at: at(371), actor: admin.id, call: 'name_company', args: { name: 'Lumeo Habitat', page } });
  events.push({
    at: at(371),
    actor: admin.id,
    call: 'create_scale',
    key: 'launch',
    args: {
      name: 'Barème de lancement',
      description: 'Les trois premiers mois du programme.',
      clientType: 'percentage',
      clientAmount: 8,
      commercialType: 'fixed',
      commercialAmount: 40,
    },
  });
  events.push({
    at: at(270),
    actor: admin.id,
    call: 'create_scale',
    key: 'standard',
    args: {
      name: 'Barème standard',
      description: 'Rénovation et équipement du logement.',
      clientType: 'percentage',
      clientAmount: 10,
      commercialType: 'fixed',
      commercialAmount: 50,
      replaces: 'launch',
    },
  });
  events.push({
    at: at(200),
    actor: admin.id,
    call: 'create_scale',
    key: 'large',
    args: {
      name: 'Grands chantiers',
      description: 'Contrats au-delà de 15 000 €.',
      clientType: 'percentage',
      clientAmount: 4,
      commercialType: 'percentage',
      commercialAmount: 1.5,
      fromContractAmount: 15_000,
    },
  });
  events.push({
    at: at(120),
    actor: admin.id,
    call: 'create_scale',
    key: 'maintenance',
    args: {
      name: 'Contrats d’entretien',
      description: null,
      clientType: 'fixed',
      clientAmount: 30,
      commercialType: 'fixed',
      commercialAmount: 15,
    },
  });
  events.push({
    // Not drawn: what is drawn after it stays as it was.
    at: new Date(Math.floor(end / DAY_MS - 45) * DAY_MS + 9 * HOUR_MS).toISOString(),
    actor: admin.id,
    call: 'publish_version',
    args: {
      scale: 'maintenance',
      name: 'Contrats d’entretien',
      clientType: 'fixed',
      clientAmount: 35,
      commercialType: 'fixed',
      commercialAmount: 15,
    },
  });

  const commercials: Person[] = [
    { id: uuid(), name: 'Julien Mercier', email: 'commercial@demo.example' },
    ...['Amélie Roussel', 'Karim Benali', 'Élodie Garnier', 'Thomas Le Goff', 'Nora Vasseur'].map((name) => ({
      id: uuid(),
      name,
      email: `${mailName(name)}@demo.example`,
    })),
  ];
  commercials.forEach((commercial, i) => account(commercial, 'commercial', 368 - i * 24));

  const clients = Array.from({ length: 56 }, (_, i) => {
    const commercial = commercials[i < 14 ? 0 : i % commercials.length] as Person;
    const name =
      i === 0 ? 'Sophie Marchand' : `${firstNames[i % firstNames.length]} ${lastNames[(i * 7) % lastNames.length]}`;
    const email = i === 0 ? 'client@demo.example' : `${mailName(name)}${i}@demo.example`;
    const since = i === 0 ? 340 : Math.floor(between(4, 330 - commercials.indexOf(commercial) * 24));
    const person = { id: uuid(), name, email, commercial, since };
    account(person, 'client', since, {
      commercial: commercial.id,
      company: random() < 0.3 ? `${pick(lastNames)} ${pick(['& Fils', 'SARL', 'Conseil', 'Immobilier'])}` : null,
    });
    return person;
  });

  /** Transfers that a batch pays, by the batch: of last month, and of these days. */
  const gathered = { settled: [] as string[], draft: [] as string[] };
  let sales = 0;
  let validations = 0;
  for (const [i, client] of clients.entries()) {
    const referrals = i === 0 ? 14 : i % 9 === 8 ? 0 : Math.floor(between(1, 7));
    let requests = 0;
    for (let n = 0; n < referrals; n += 1) {
      sales += 1;
      const key = `sale${sales}`;
      const started = i === 0 ? Math.max(1, 330 - n * 25) : Math.max(0.2, between(0, client.since - 2));
      const friend = `${pick(firstNames)} ${pick(friendLastNames)}`;
      events.push({
        at: at(started),
        actor: client.id,
        call: 'invite_friend',
        key,
        args: {
          name: friend,
          email: `${mailName(friend)}${sales}@exemple.example`,
          phone: random() < 0.7 ? phone() : null,
          message: random() < 0.55 ? pick(messages) : null,
        },
      });
      const move = (daysAgo: number, args: Record<string, unknown>) =>
        events.push({
          at: at(Math.max(daysAgo, 0.05)),
          actor: client.commercial.id,
          call: 'update_sale_status',
          args: { sale: key, ...args },
        });
      const step = Math.min(started / 5, between(2, 9));
      const fate = random();
      if (started < 1.5 || fate < 0.06) continue;
      move(started - step, { status: 'contacted' });
      if (fate < 0.14) continue;
      if (fate < 0.24) {
        move(started - 2 * step, { status: 'rejected', notes: 'Pas de projet pour le moment.' });
        continue;
      }
      move(started - 2 * step, {
        status: 'in_negotiation',
        notes: random() < 0.4 ? 'Devis envoyé, relance prévue.' : null,
      });
      if (fate < 0.31) continue;
      const contract = pick(contracts);
      const amount = (Math.round(between(contract.low, contract.high) * 100) / 100).toFixed(2);
      const wait = fate < 0.5 && started < 75;
      move(started - 3 * step, {
        // Of those that still wait some are signed, the others transmitted (DF-04).
        status: fate >= 0.4 && fate < 0.5 ? 'validated' : 'pending_final_validation',
        amount,
        description: contract.name,
      });
      if (wait || started - 4 * step < 0.6) continue;
      if (fate < 0.43) {
        events.push({
          at: at(started - 4 * step),
          actor: admin.id,
          call: 'refuse_sale',
          args: { sale: key, reason: pick(refusals) },
        });
        continue;
      }
      const validated = Math.max(started - 4 * step, 0.1);
      const scale = Number(amount) > 15_000 && validated < 195 ? 'large' : null;
      events.push({ at: at(validated), actor: admin.id, call: 'validate_sale', args: { sale: key, scale } });
      validations += 1;
      if (validations === 24) {
        events.push({
          at: at(Math.max(validated - 3, 0.08)),
          actor: admin.id,
          call: 'cancel_validation',
          args: { sale: key, reason: 'Contrat annulé par le client dans le délai de rétractation.' },
        });
        continue;
      }
      // Some of what was earned is asked for, some days later.
      if (validated > 1.5 && random() < (i === 0 ? 0.75 : 0.6)) {
        requests += 1;
        const request = `request-${i}-${requests}`;
        const asked = Math.max(validated - between(1, 6), 0.2);
        const payment = paymentOf(
          pick(['virement', 'virement', 'virement', 'cheque_cadeau', 'association', 'remise_societe'] as const),
          client,
          pick,
        );
        events.push({
          at: at(asked),
          actor: client.id,
          call: 'request_payment',
          key: request,
          args: {
            amount: Math.round(between(0.4, 1) * Number(amount) * 0.08 * 100) / 100,
            method: payment.method,
            details: payment.shown,
            sealed: options.sealDetails(payment.clear).toString('base64'),
            mark: markOf(options, payment.clear),
          },
        });
        const outcome = random();
        if (asked < 12 && outcome < 0.5) continue;
        if (outcome < 0.1) {
          events.push({
            at: at(asked - 1.5),
            actor: admin.id,
            call: 'decide_payment',
            args: {
              request,
              status: 'rejected',
              notes: 'Le nom du bénéficiaire ne correspond pas au titulaire du compte.',
            },
          });
          continue;
        }
        events.push({
          at: at(asked - 1.5),
          actor: admin.id,
          call: 'decide_payment',
          args: { request, status: 'approved', notes: null },
        });
        if (asked > 20 || (asked > 4 && outcome > 0.75)) {
          const paid = at(Math.max(asked - 4, 0.07));
          if (
            payment.method === 'virement' &&
            asked > SETTLED_BATCH_DAYS_AGO + 3 &&
            asked < SETTLED_BATCH_DAYS_AGO + 40
          ) {
            gathered.settled.push(request);
            continue;
          }
          events.push({
            at: paid,
            actor: admin.id,
            call: 'decide_payment',
            args: { request, status: 'paid', notes: 'Réglé avec ceux du mois.' },
          });
        } else if (payment.method === 'virement' && i > 0 && asked > 4) gathered.draft.push(request);
      }
    }
  }
  // The demo client's own screens show a request at every stage.
  const [sophie] = clients;
  if (sophie !== undefined) {
    for (const [n, [daysAgo, amount, method, moves]] of (
      [
        [9, 250, 'virement', ['approved', 'paid']],
        [6, 80, 'association', ['rejected']],
        [3, 150, 'virement', ['approved']],
        [0.3, 60, 'cheque_cadeau', []],
      ] as const
    ).entries()) {
      const request = `sophie-${n}`;
      const payment = paymentOf(method, sophie, pick);
      events.push({
        at: at(daysAgo),
        actor: sophie.id,
        call: 'request_payment',
        key: request,
        args: {
          amount,
          method: payment.method,
          details: payment.shown,
          sealed: options.sealDetails(payment.clear).toString('base64'),
          mark: markOf(options, payment.clear),
        },
      });
      for (const [step, status] of moves.entries()) {
        events.push({
          at: at(daysAgo - 1 - step),
          actor: admin.id,
          call: 'decide_payment',
          args: {
            request,
            status,
            notes:
              status === 'rejected' ? 'L’association n’est pas reconnue\u00a0: merci d’indiquer son numéro RNA.' : null,
          },
        });
      }
    }
  }
  for (const [n, { who, friend, daysAgo, decision, reason }] of doubtfulReferrals.entries()) {
    const [client, other] = [clients[who], clients[who + 1]];
    if (client === undefined || other === undefined) continue;
    const key = `doubtful-${n}`;
    const [mailbox = '', domain = ''] = client.email.split('@');
    events.push({
      at: at(daysAgo),
      actor: client.id,
      call: 'invite_friend',
      key,
      args:
        friend === 'themselves'
          ? { name: client.name, email: `${mailbox.replaceAll('.', '')}@${domain}`, phone: null, message: null }
          : { name: friend, email: `${mailName(friend)}@exemple.example`, phone: phones.get(other.id), message: null },
    });
    if (decision !== null) {
      events.push({
        at: at(daysAgo - 1),
        actor: admin.id,
        call: 'decide_case',
        args: { sale: key, decision, reason },
      });
      events.push({
        at: at(daysAgo - 2),
        actor: client.commercial.id,
        call: 'update_sale_status',
        args:
          decision === 'cleared'
            ? { sale: key, status: 'contacted' }
            : { sale: key, status: 'rejected', notes: 'Classé sans suite.' },
      });
    }
  }
  // Most of what a month brings is asked for by transfer; one without a balance is refused, like any other.
  for (const i of [3, 7, 11, 16, 22, 28]) {
    const client = clients[i];
    if (client === undefined || client.since < SETTLED_BATCH_DAYS_AGO + 6) continue;
    const request = `month-${i}`;
    const payment = paymentOf('virement', client, pick);
    events.push({
      at: at(SETTLED_BATCH_DAYS_AGO + 5),
      actor: client.id,
      call: 'request_payment',
      key: request,
      args: {
        amount: 60 + i * 5,
        method: payment.method,
        details: payment.shown,
        sealed: options.sealDetails(payment.clear).toString('base64'),
        mark: markOf(options, payment.clear),
      },
    });
    events.push({
      at: at(SETTLED_BATCH_DAYS_AGO + 3),
      actor: admin.id,
      call: 'decide_payment',
      args: { request, status: 'approved', notes: null },
    });
    gathered.settled.push(request);
  }
  const companyAccount = { holder: 'Lumeo Habitat', iban: 'FR7630004008210001018765450', bic: null };
  const batch = (key: string, daysAgo: number, call: Call, args: Record<string, unknown> = {}) =>
    events.push({ at: at(daysAgo), actor: admin.id, call, key, args: { batch: key, ...args } });
  events.push({
    at: at(70),
    actor: admin.id,
    call: 'set_company_account',
    args: {
      ...companyAccount,
      iban: maskedIban(companyAccount.iban),
      sealed: options.sealAccount(companyAccount).toString('base64'),
    },
  });
  batch('settled-batch', SETTLED_BATCH_DAYS_AGO, 'make_batch', { requests: gathered.settled });
  batch('settled-batch', SETTLED_BATCH_DAYS_AGO, 'release_batch');
  batch('settled-batch', SETTLED_BATCH_DAYS_AGO, 'send_batch');
  batch('settled-batch', SETTLED_BATCH_DAYS_AGO - 3, 'settle_batch', {
    code: 'AC04',
    reason: bankRejection('AC04'),
  });
  batch('draft-batch', 0.1, 'make_batch', { requests: gathered.draft });
  return inOrderPerStory(events);
}

/** Age of the demo company's last paid batch, in days. */
const SETTLED_BATCH_DAYS_AGO = 21;

/** FD-01: what an admin finds under « Cas douteux »: two to decide, and one decided each way. */
const doubtfulReferrals = [
  {
    who: 12,
    friend: 'themselves',
    daysAgo: 40,
    decision: 'confirmed',
    reason: 'Même personne, avec une deuxième adresse\u00a0: elle l’a reconnu au téléphone. À classer sans suite.',
  },
  {
    who: 21,
    friend: 'Nadia Ferrand',
    daysAgo: 12,
    decision: 'cleared',
    reason: 'Deux sœurs sous le même toit, qui partagent une ligne. Vu avec leur commercial.',
  },
  { who: 30, friend: 'Odile Ferrand', daysAgo: 2, decision: null, reason: null },
  { who: 5, friend: 'themselves', daysAgo: 0.6, decision: null, reason: null },
] as const;

/** Office hours are drawn at random: what follows from an event of the same day still comes after it. */
function inOrderPerStory(events: readonly Event[]): Event[] {
  const last = new Map<string, number>();
  return events.map((event) => {
    const { sale, request, batch, id } = event.args;
    const story = [sale, request, batch, event.key, id].find((name) => typeof name === 'string') ?? event.call;
    const time = Math.max(new Date(event.at).getTime(), (last.get(story) ?? 0) + 60_000);
    last.set(story, time);
    return { ...event, at: new Date(time).toISOString() };
  });
}

function paymentOf(
  method: 'virement' | 'cheque_cadeau' | 'association' | 'remise_societe',
  { name, email }: Pick<Person, 'name' | 'email'>,
  pick: <T>(list: readonly T[]) => T,
): { method: string; shown: Record<string, string>; clear: Record<string, string> } {
  switch (method) {
    case 'virement': {
      // Everybody has an account of their own; the draw of former versions is kept, for what is drawn after it.
      pick([0, 1, 2]);
      const iban = ibanOf(email);
      return {
        method,
        shown: { iban: `${iban.slice(0, 4)} •••• •••• ${iban.slice(-4)}`, beneficiary_name: name },
        clear: { iban, beneficiary_name: name },
      };
    }
    case 'cheque_cadeau': {
      const details = { gift_card_type: pick(['Fnac Darty', 'Décathlon', 'Carte multi-enseignes']) };
      return { method, shown: details, clear: details };
    }
    case 'association': {
      const details = {
        association_name: pick(['Les Restos du Cœur', 'La Croix-Rouge française', 'Emmaüs']),
        association_details: 'Antenne de Nantes',
      };
      return { method, shown: details, clear: details };
    }
    case 'remise_societe': {
      const details = { company_account: pick(['CLI-20418', 'CLI-20977', 'CLI-21340']) };
      return { method, shown: details, clear: details };
    }
  }
}

function markOf({ markIban }: DemoOptions, { iban }: Record<string, string>): string | null {
  return iban === undefined ? null : markIban(iban).toString('base64');
}

/** A French IBAN of one person alone, the same at each request. */
function ibanOf(email: string): string {
  let account = 0n;
  for (const letter of email) account = (account * 31n + BigInt(letter.codePointAt(0) ?? 0)) % 100_000_000_000n;
  const bank = `3000400821${account.toString().padStart(11, '0')}`;
  const key = 97n - ((BigInt(bank) * 100n) % 97n);
  const bban = `${bank}${key.toString().padStart(2, '0')}`;
  const check = 98n - (BigInt(`${bban}152700`) % 97n);
  return `FR${check.toString().padStart(2, '0')}${bban}`;
}

function mailName(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[^a-zA-Z ]/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll(/ +/gu, '.');
}

/** The same company at every start: a demo that changes cannot be shown, nor tested. (mulberry32) */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
