import { BadgeCheck, CircleCheck, FileSignature, Send } from 'lucide-react';
import { Amount } from '#ui/amount';
import { Timeline } from '#ui/timeline';
import { french } from '@parrain/domain/typography';

/** Company, commercials, clients, friends: the network as a tree. */
export function NetworkPicture() {
  return (
    <svg viewBox="0 0 520 236" role="img" aria-labelledby="network-title" className="w-full max-w-lg">
      <title id="network-title">
        {french('Le réseau : l’entreprise, deux commerciaux, quatre clients et les amis qu’ils ont recommandés.')}
      </title>
      <g aria-hidden="true">
        <g fill="none" className="stroke-edge" strokeWidth="1.25">
          {branches.map((branch) => (
            <path key={branch} d={branch} />
          ))}
        </g>
        <path
          d="M76 118 C126 118 116 62 166 62 M254 62 C290 62 286 34 322 34 M410 34 C434 34 432 20 456 20"
          fill="none"
          className="stroke-sapin"
          strokeWidth="2"
        />
        <Node x={10} y={100} w={66} label="Lumeo" kind="root" />
        <Node x={166} y={44} w={88} label="Julien" kind="plain" />
        <Node x={166} y={156} w={88} label="Amélie" kind="plain" />
        <Node x={322} y={16} w={88} label="Hugo" kind="plain" />
        <Node x={322} y={72} w={88} label="Inès" kind="plain" />
        <Node x={322} y={128} w={88} label="Paul" kind="plain" />
        <Node x={322} y={184} w={88} label="Sarah" kind="plain" />
        <circle cx={462} cy={20} r={6} className="fill-sapin" />
        {[52, 78, 104, 146, 190, 214].map((y) => (
          <circle key={y} cx={462} cy={y} r={5} className="fill-sheet stroke-edge" strokeWidth="1.25" />
        ))}
        <text x={474} y={20} dominantBaseline="central" className={`${letters} fill-encre`}>
          Léa
        </text>
      </g>
    </svg>
  );
}

/** On a phone the picture is drawn at half its size: its letters are larger, to be read there too. */
const letters = 'text-[13px] font-medium max-sm:text-[21px]';

const branches = [
  'M76 118 C126 118 116 174 166 174',
  'M254 62 C290 62 286 90 322 90',
  'M254 174 C290 174 286 146 322 146',
  'M254 174 C290 174 286 202 322 202',
  'M410 34 C434 34 432 52 457 52',
  'M410 90 C434 90 432 78 457 78',
  'M410 90 C434 90 432 104 457 104',
  'M410 146 L457 146',
  'M410 202 C434 202 432 190 457 190',
  'M410 202 C434 202 432 214 457 214',
];

function Node({ x, y, w, label, kind }: { x: number; y: number; w: number; label: string; kind: 'root' | 'plain' }) {
  return (
    <g>
      <rect
        x={x}
        y={y}
        width={w}
        height={36}
        rx={8}
        className={kind === 'root' ? 'fill-deep' : 'fill-sheet stroke-edge'}
        strokeWidth="1"
      />
      <text
        x={x + w / 2}
        y={y + 18}
        textAnchor="middle"
        dominantBaseline="central"
        className={`${letters} ${kind === 'root' ? 'fill-deep-ink' : 'fill-encre'}`}
      >
        {label}
      </text>
    </g>
  );
}

/** One calculation, written out as on paper. */
export function CalculationPicture() {
  return (
    <figure
      role="img"
      aria-label={french('1 234,56 € à 10 % donnent 123,46 € de commission.')}
      className="w-full max-w-64"
    >
      <dl aria-hidden className="font-heading text-lg">
        <div className="flex justify-between gap-4 py-1.5">
          <dt className="font-sans text-sm text-encre-faint">Contrat</dt>
          <dd>
            <Amount cents={123_456n} />
          </dd>
        </div>
        <div className="flex justify-between gap-4 py-1.5">
          <dt className="font-sans text-sm text-encre-faint">Barème « Découverte »</dt>
          <dd className="tabular-digits">{french('× 10 %')}</dd>
        </div>
        <div className="mt-1.5 flex items-baseline justify-between gap-4 border-t-2 border-double border-encre/60 pt-3">
          <dt className="font-sans text-sm font-medium">Commission</dt>
          <dd className="text-xl font-semibold text-sapin">
            <Amount cents={12_346n} />
          </dd>
        </div>
      </dl>
      <p aria-hidden className="mt-3 text-sm text-encre-faint">
        {french('123,456 arrondi au centime le plus proche')}
      </p>
    </figure>
  );
}

export function TrackingPicture() {
  return (
    <div className="w-full max-w-72 self-end">
      <Timeline
        label="L’historique d’une vente"
        entries={[
          { id: 'a', title: 'Recommandation reçue', meta: 'Hugo Bernard · 3 mars à 18:40', icon: <Send /> },
          { id: 'b', title: 'Contrat déclaré', meta: 'Julien Mercier · 17 mars à 16:02', icon: <FileSignature /> },
          {
            id: 'c',
            title: 'Vente validée',
            meta: 'Claire Fontaine · 18 mars à 11:05',
            icon: <BadgeCheck />,
            tone: 'done',
          },
          {
            id: 'd',
            title: 'Commissions créées',
            meta: french('123,46 € et 50,00 €'),
            icon: <CircleCheck />,
            tone: 'done',
          },
        ]}
      />
    </div>
  );
}

export function DashboardsPicture() {
  return (
    <div className="grid w-full max-w-xl gap-3 self-center sm:grid-cols-3">
      {spaces.map((space) => (
        <div key={space.who} className={`rounded-card border bg-sheet p-4 ${space.tone}`}>
          <p className="text-sm font-medium">{space.who}</p>
          <dl className="mt-3 grid gap-2.5">
            {space.figures.map((figure) => (
              <div key={figure.label}>
                <dt className="text-xs text-encre-faint">{figure.label}</dt>
                <dd className="font-heading text-lg/6 font-semibold">{figure.value}</dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
    </div>
  );
}

const spaces = [
  {
    who: 'Entreprise',
    tone: 'border-hairline',
    figures: [
      { label: 'CA Total', value: <Amount cents={4_892_000n} /> },
      { label: 'Contrats à valider', value: '3' },
      { label: 'Demandes à payer', value: '2' },
    ],
  },
  {
    who: 'Commercial',
    tone: 'border-hairline',
    figures: [
      { label: 'Clients invités', value: '28' },
      { label: 'Contrats validés', value: '11' },
      { label: 'Commissions gagnées', value: <Amount cents={55_000n} /> },
    ],
  },
  {
    who: 'Client',
    tone: 'border-sapin/40',
    figures: [
      { label: 'Amis invités', value: '4' },
      { label: 'Contrats signés', value: '1' },
      { label: 'Disponible', value: <Amount cents={2_346n} className="text-sapin" /> },
    ],
  },
];
