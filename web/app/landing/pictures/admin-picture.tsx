import {
  BadgeCheck,
  CircleCheck,
  Clock,
  HandCoins,
  Handshake,
  Hourglass,
  Landmark,
  LayoutDashboard,
  Percent,
  ReceiptText,
  Users,
  XCircle,
} from 'lucide-react';
import { Amount } from '#ui/amount';
import { Avatar } from '#ui/avatar';
import { Badge } from '#ui/badge';
import { french } from '@parrain/domain/typography';

/** The admin's dashboard as it is: figures, sales, a contract that waits; in front, what the client receives. */
export function AdminPicture() {
  return (
    <figure
      role="img"
      aria-label={french(
        'Le tableau de bord de l’entreprise : un chiffre d’affaires de 48 920,00 €, les dernières ventes avec leur parrain, leur statut et leur commission ; devant, la commission de 123,46 € reçue par un client.',
      )}
      className="relative mt-14 lg:mt-16"
    >
      <div
        aria-hidden
        className="rounded-t-card border border-b-0 border-hairline bg-sheet max-lg:-mr-40 max-sm:-mr-80"
      >
        <div className="flex items-center gap-3 border-b border-hairline px-5 py-3">
          <span className="flex size-8 items-center justify-center rounded-field bg-deep font-heading font-semibold text-deep-ink">
            L
          </span>
          <div className="leading-tight">
            <p className="font-heading font-semibold">Atelier Lumen</p>
            <p className="text-xs text-encre-faint">Dashboard Administrateur</p>
          </div>
          <span className="ml-auto rounded-field border border-hairline px-3 py-1 text-sm text-encre-soft">
            Paramètres
          </span>
        </div>
        <div className="flex">
          <ul className="w-52 shrink-0 border-r border-hairline p-3 text-sm max-md:hidden">
            {menu.map(({ label, Icon, count }, index) => (
              <li
                key={label}
                className={`flex items-center gap-2.5 rounded-field px-2.5 py-1.5 ${index === 0 ? 'bg-sapin-tint font-medium text-sapin-strong' : 'text-encre-soft'}`}
              >
                <Icon className="size-4" />
                {label}
                {count && (
                  <span className="figures ml-auto rounded-full bg-corail px-1.5 text-xs/4.5 font-medium text-on-corail">
                    {count}
                  </span>
                )}
              </li>
            ))}
          </ul>
          <div className="min-w-0 flex-1 p-5 pb-0">
            <dl className="grid grid-cols-3 gap-3">
              {figures.map((figure) => (
                <div key={figure.label} className="rounded-card border border-hairline bg-papier px-4 py-3">
                  <dt className="truncate text-sm text-encre-soft">{figure.label}</dt>
                  <dd className="mt-1 font-heading text-lg font-semibold">
                    <Amount cents={figure.cents} />
                  </dd>
                </div>
              ))}
            </dl>
            <div className="mt-4 overflow-hidden rounded-t-card border border-b-0 border-hairline">
              <table className="w-full text-left text-sm">
                <thead>
                  <tr className="text-encre-faint">
                    {['Client', 'Parrain', 'Statut', 'Montant', 'Commission'].map((head, index) => (
                      <th
                        key={head}
                        scope="col"
                        className={`border-b border-hairline px-4 py-2.5 font-medium ${index > 2 ? 'text-right' : ''} ${index === 4 ? 'max-lg:hidden' : ''}`}
                      >
                        {head}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {sales.map((sale) => (
                    <tr key={sale.client}>
                      <td className="border-b border-hairline px-4 py-2.5">
                        <span className="flex items-center gap-2.5 font-medium whitespace-nowrap">
                          <Avatar name={sale.client} size="sm" />
                          {sale.client}
                        </span>
                      </td>
                      <td className="border-b border-hairline px-4 py-2.5 whitespace-nowrap text-encre-soft">
                        {sale.referrer}
                      </td>
                      <td className="border-b border-hairline px-4 py-2.5 whitespace-nowrap">
                        <Badge tone={sale.tone} icon={<sale.Icon />}>
                          {sale.status}
                        </Badge>
                      </td>
                      <td className="border-b border-hairline px-4 py-2.5 text-right">
                        {sale.cents === null ? '—' : <Amount cents={sale.cents} />}
                      </td>
                      <td className="border-b border-hairline px-4 py-2.5 text-right max-lg:hidden">
                        {sale.commission === null ? '—' : <Amount cents={sale.commission} />}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </div>
        </div>
      </div>
      <div
        aria-hidden
        className="absolute right-0 bottom-0 w-66 translate-y-px rounded-t-card border border-b-0 border-hairline bg-sheet p-5 shadow-floating max-sm:left-0 max-sm:w-auto lg:-right-4 lg:w-72"
      >
        <p className="flex items-center gap-2 text-sm text-encre-soft">
          <HandCoins className="size-4 text-sapin" />
          Espace de Hugo Bernard
        </p>
        <p className="mt-3 text-sm text-encre-faint">Disponible pour un virement</p>
        <p className="font-heading text-xl font-semibold text-sapin">
          <Amount cents={12_346n} />
        </p>
        <p className="mt-2 border-t border-hairline pt-2 text-sm text-encre-soft">
          Contrat de Léa Fontaine, validé le 18 mars
        </p>
      </div>
    </figure>
  );
}

const menu = [
  { label: 'Vue d’ensemble', Icon: LayoutDashboard, count: undefined },
  { label: 'Commerciaux', Icon: Handshake, count: undefined },
  { label: 'Clients', Icon: Users, count: undefined },
  { label: 'Ventes', Icon: ReceiptText, count: undefined },
  { label: 'Commissions', Icon: Percent, count: undefined },
  { label: 'Validations', Icon: BadgeCheck, count: 1 },
  { label: 'Demandes de Paiement', Icon: Landmark, count: undefined },
] as const;

const figures = [
  { label: 'CA Total', cents: 4_892_000n },
  { label: 'Commissions payées', cents: 391_360n },
  { label: 'Commissions en attente', cents: 67_346n },
] as const;

// Those with amounts come first: the card in front hides none.
const sales = [
  {
    client: 'Léa Fontaine',
    referrer: 'Hugo Bernard',
    tone: 'green',
    Icon: CircleCheck,
    status: 'Validé par admin',
    cents: 123_456n,
    commission: 12_346n,
  },
  {
    client: 'Karim Haddad',
    referrer: 'Inès Morel',
    tone: 'purple',
    Icon: Hourglass,
    status: 'À valider par admin',
    cents: 890_000n,
    commission: 89_000n,
  },
  {
    client: 'Nadia Caron',
    referrer: 'Inès Morel',
    tone: 'red',
    Icon: XCircle,
    status: 'Refusé: budget reporté',
    cents: 240_000n,
    commission: null,
  },
  {
    client: 'Jeanne Petit',
    referrer: 'Hugo Bernard',
    tone: 'amber',
    Icon: Clock,
    status: 'En attente',
    cents: null,
    commission: null,
  },
  {
    client: 'Marc Leroy',
    referrer: 'Paul Girard',
    tone: 'amber',
    Icon: Clock,
    status: 'En attente',
    cents: null,
    commission: null,
  },
  {
    client: 'Inès Robin',
    referrer: 'Hugo Bernard',
    tone: 'amber',
    Icon: Clock,
    status: 'En attente',
    cents: null,
    commission: null,
  },
  {
    client: 'Paul Vidal',
    referrer: 'Paul Girard',
    tone: 'amber',
    Icon: Clock,
    status: 'En attente',
    cents: null,
    commission: null,
  },
] as const;
