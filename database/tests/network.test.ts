import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  asSeen,
  aSale,
  aScale,
  aValidatedSale,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';

type Node = {
  readonly kind: string;
  readonly id: string | null;
  readonly name: string | null;
  readonly clients: string | null;
  readonly referrals: string | null;
  readonly contracts: string | null;
  readonly revenue: string;
  readonly commissions: string;
  readonly status: string | null;
  readonly is_cancelled: boolean | null;
};

let db: TestDatabase;
let people: Record<'admin' | 'seller' | 'otherSeller' | 'client' | 'moved' | 'alone', Person>;
beforeAll(async () => {
  db = await createTestDatabase();
  const [admin, seller, otherSeller] = [await anAdmin(db), await aCommercial(db), await aCommercial(db)];
  const [client, moved, alone] = [
    await aClient(db, { commercial: seller, fullName: 'Léa' }),
    await aClient(db, { commercial: seller, fullName: 'Max' }),
    await aClient(db, { commercial: seller, fullName: 'Seule' }),
  ];
  people = { admin, seller, otherSeller, client, moved, alone };
  const scale = await aScale(db);
  const contract = { admin, scale, commercial: seller };
  await aValidatedSale(db, { ...contract, friendReferrer: client, contactName: 'Zoé', contractAmount: '1000.01' });
  await aValidatedSale(db, {
    ...contract,
    friendReferrer: null,
    clientReferrer: client,
    contactName: 'Yves',
    contractAmount: '10',
  });
  await aValidatedSale(db, { ...contract, friendReferrer: moved, contactName: 'Xavier', contractAmount: '2.5' });
  await aValidatedSale(db, { ...contract, friendReferrer: null, contactName: 'Sans parrain', contractAmount: '7' });
  const cancelled = await aValidatedSale(db, { ...contract, friendReferrer: client, contactName: 'Annulée' });
  await db.become(admin, (run) => run(asSeen.cancel, [cancelled.id, 'Erreur']));
  await aSale(db, { commercial: seller, friendReferrer: client, contactName: 'Prête', isReady: true });
  // A client may change commercials; their referrals stay with the commercial of each sale.
  await db.asOwner('update public.profiles set commercial_id = $2 where id = $1', [moved.id, otherSeller.id]);
  await aValidatedSale(db, {
    ...contract,
    commercial: otherSeller,
    friendReferrer: moved,
    contactName: 'William',
    contractAmount: '5',
  });
});
afterAll(() => db.drop());

const branch = (who: Person, level: string, commercial: string | null = null, referrer: string | null = null) =>
  db.become(who, (run) =>
    run<Node>('select * from public.network_branch($1, $2, $3) order by kind, name nulls last', [
      level,
      commercial,
      referrer,
    ]),
  );
const cents = (text: string) => BigInt(text.replace('.', '').padEnd(3, '0'));
const total = (nodes: readonly Node[]) => ({
  revenue: nodes.reduce((sum, { revenue }) => sum + Math.round(Number(revenue) * 100), 0),
  commissions: nodes.reduce((sum, { commissions }) => sum + Math.round(Number(commissions) * 100), 0),
});

describe('the network', () => {
  test('[NW-01] [X-02] every branch is worth exactly its rows, down to each referral, and the whole is the company’s figures', async () => {
    const { admin } = people;
    const commercials = await branch(admin, 'company');
    const figures = only(
      await db.become(admin, (run) =>
        run<{ revenue: string; paid_commissions: string }>('select * from public.admin_figures()'),
      ),
    );
    expect(total(commercials)).toEqual({
      revenue: Math.round(Number(figures.revenue) * 100),
      commissions: Math.round(Number(figures.paid_commissions) * 100),
    });
    let referrals = 0;
    for (const commercial of commercials) {
      const inner = await branch(admin, 'commercial', commercial.id);
      expect(total(inner)).toEqual(total([commercial]));
      const counted = inner.map((node) => Number(node.referrals ?? 1));
      expect(counted.reduce((sum, count) => sum + count, 0)).toBe(Number(commercial.referrals));
      for (const client of inner.filter(({ kind }) => kind === 'client')) {
        const leaves = await branch(admin, 'client', commercial.id, client.id);
        expect(total(leaves)).toEqual(total([client]));
        expect(leaves).toHaveLength(Number(client.referrals));
        referrals += leaves.length;
      }
    }
    expect(referrals).toBe(6);
  });

  test('[NW-01] a client who changed commercial stands with both, each with their own part; a cancelled sale is worth nothing', async () => {
    const { admin, seller, otherSeller, moved, client } = people;
    const ofSeller = await branch(admin, 'commercial', seller.id);
    expect(ofSeller.map(({ name, revenue }) => [name, cents(revenue)])).toEqual([
      ['Léa', 101_001n],
      ['Max', 250n],
      ['Seule', 0n],
      ['Sans parrain', 700n],
    ]);
    expect((await branch(admin, 'commercial', otherSeller.id)).map(({ id, revenue }) => [id, cents(revenue)])).toEqual([
      [moved.id, 500n],
    ]);
    const leaves = await branch(admin, 'client', seller.id, client.id);
    expect(
      leaves.map(({ name, status, is_cancelled, revenue }) => [name, status, is_cancelled, Number(revenue)]),
    ).toEqual([
      ['Annulée', 'validated', true, 0],
      ['Prête', 'pending', false, 0],
      ['Yves', 'validated', false, 10],
      ['Zoé', 'validated', false, 1000.01],
    ]);
  });

  test('[NW-01] [P-06] a commercial sees their branch with their own commissions, a client theirs, and nobody another’s', async () => {
    const { seller, otherSeller, client, moved, alone } = people;
    const own = await branch(seller, 'commercial', seller.id);
    // A client who left for another commercial has no name.
    expect(own.map(({ name }) => name)).toEqual(['Léa', 'Seule', null, 'Sans parrain']);
    const figures = only(
      await db.become(seller, (run) =>
        run<{ validated_revenue: string; commissions_earned: string }>('select * from public.commercial_figures()'),
      ),
    );
    expect(total(own)).toEqual({
      revenue: Math.round(Number(figures.validated_revenue) * 100),
      commissions: Math.round(Number(figures.commissions_earned) * 100),
    });
    expect(await branch(seller, 'company')).toEqual([]);
    expect(await branch(otherSeller, 'commercial', seller.id)).toEqual([]);
    expect((await branch(client, 'own')).map(({ name, commissions }) => [name, Number(commissions)])).toEqual([
      ['Annulée', 0],
      ['Prête', 0],
      ['Zoé', 100],
    ]);
    expect(await branch(alone, 'own')).toEqual([]);
    expect((await branch(client, 'client', seller.id, moved.id)).map(({ name }) => name)).toEqual([]);
    expect(await branch(client, 'company')).toEqual([]);
  });
});
