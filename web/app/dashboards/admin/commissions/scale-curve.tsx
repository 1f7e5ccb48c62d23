import { formatEuros, type Cents } from '@parrain/domain/money';
import { plainEuros } from '@parrain/domain/plain-euros';
import { earned, exampleContract, freshStanding, type RuledSide } from '@parrain/domain/scale-rules';
import { useTranslation } from 'react-i18next';
import { Curve, type CurvePoint } from '#ui/charts/curve';

interface ScaleCurveProps {
  side: RuledSide;
  /** Contract of the example, marked on the curve. */
  contract: Cents;
  /** « Le client reçoit ». */
  label: string;
}

/** A curve of what a contract earns, by its amount; by its rank where contracts are counted (SC-02). */
export default function ScaleCurve({ side, contract, label }: ScaleCurveProps) {
  const { t } = useTranslation();
  const isRank = side.extra?.steps?.measure === 'count';
  const { points, named, mark } = isRank ? byRank(side, contract) : byAmount(side, contract);
  const most = greatest(points.map(({ value }) => value));
  const text = (at: bigint) => (isRank ? rankText(at) : plainEuros(at));
  return (
    <Curve
      label={t(
        isRank ? '{{label}}, selon le rang du contrat : {{values}}' : '{{label}}, selon le contrat : {{values}}',
        {
          label,
          values: named.map(({ at, value }) => `${text(at)}, ${formatEuros(value)}`).join('\u00a0; '),
        },
      )}
      points={points}
      mark={mark}
      captions={[
        text(points[0]?.at ?? 0n),
        t('jusqu’à {{most}}', { most: formatEuros(most) }),
        text(greatest(points.map(({ at }) => at))),
      ]}
    />
  );
}

interface Line {
  readonly points: readonly CurvePoint[];
  /** Points that the name of the drawing says. */
  readonly named: readonly CurvePoint[];
  readonly mark: CurvePoint;
}

const samples = Array.from({ length: 101 }, (_, index) => BigInt(index));

function byAmount(side: RuledSide, contract: Cents): Line {
  const { steps, minContract, capContract, capPeriod } = side.extra ?? {};
  const first = freshStanding(side);
  const gives = (at: Cents): CurvePoint => ({ at, value: earned(at, side, first).amount });
  const edges = rising([
    ...(minContract === undefined ? [] : [minContract]),
    ...(steps?.above ?? []).map(({ from }) => from),
  ]);
  const cap = greatest([capContract, capPeriod].filter((each) => each !== undefined));
  let end = greatest([contract, (exampleContract(side) * 5n) / 4n, ((edges.at(-1) ?? 0n) * 5n) / 4n]);
  // As far as the cap bites, unless that is out of sight.
  for (let more = 0; cap > 0n && more < 4 && gives(end).value < cap; more += 1) end *= 2n;
  // A jump stands where it is: on an edge, and a cent below it.
  const places = [
    ...samples.map((part) => (end * part) / 100n),
    ...edges.flatMap((edge) => [edge - 1n, edge]),
    contract,
  ];
  return {
    points: rising(places).map(gives),
    named: rising([...few(edges), contract, end]).map(gives),
    mark: gives(contract),
  };
}

function byRank(side: RuledSide, contract: Cents): Line {
  const start = freshStanding(side);
  const gives = (rank: bigint): CurvePoint => ({
    at: rank,
    value: earned(contract, side, { ...start, position: rank - 1n, isFirst: rank === 1n }).amount,
  });
  const changes = (side.extra?.steps?.above ?? []).map(({ from }) => from + 1n);
  const end = greatest(changes) + 1n;
  const ranks = rising([1n, 2n, ...changes, end]);
  // A rank is a level, until the next one.
  const points = ranks.flatMap((rank, place) => {
    const next = ranks[place + 1];
    return next === undefined ? [gives(rank)] : [gives(rank), { ...gives(rank), at: next }];
  });
  return { points, named: rising([1n, ...few(changes)]).map(gives), mark: gives(1n) };
}

function rankText(rank: bigint): string {
  return rank === 1n ? '1er contrat' : `${rank}e contrat`;
}

/** The first and the last edges: two dozen are not read aloud. */
function few(edges: readonly bigint[]): readonly bigint[] {
  return edges.length <= 4 ? edges : [...edges.slice(0, 2), ...edges.slice(-2)];
}

/** Each once, the least first. */
function rising(values: readonly bigint[]): bigint[] {
  return [...new Set(values)].toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
}

function greatest(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most), 0n);
}
