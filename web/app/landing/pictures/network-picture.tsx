import { french } from '@parrain/domain/typography';

/** Company, commercials, clients, friends: the network as a tree. */
export function NetworkPicture() {
  return (
    <svg viewBox="0 0 520 236" role="img" aria-labelledby="network-title" className="w-full max-w-md">
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
          d="M78 118 C126 118 116 62 166 62 M254 62 C290 62 286 34 322 34 M410 34 C434 34 432 20 456 20"
          fill="none"
          className="stroke-sapin"
          strokeWidth="2"
        />
        <Node x={0} y={100} w={78} label="Lumeo" kind="root" />
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
  'M78 118 C126 118 116 174 166 174',
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
