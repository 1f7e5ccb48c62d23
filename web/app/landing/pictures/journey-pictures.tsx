import { BadgeCheck, CircleCheck, Clock, Hourglass, Mail, Phone } from 'lucide-react';
import type { ReactNode } from 'react';
import { Amount } from '#ui/amount';
import { Avatar } from '#ui/avatar';
import { Badge } from '#ui/badge';
import { french } from '@parrain/domain/typography';

/** A piece of the product, drawn with its own parts; told in words to those who do not see it. */
function Picture({ label, children }: { label: string; children: ReactNode }) {
  return (
    <figure role="img" aria-label={french(label)}>
      <div aria-hidden className="rounded-card border border-hairline bg-sheet">
        {children}
      </div>
    </figure>
  );
}

const fakeButton =
  'inline-flex h-9 shrink-0 items-center justify-center rounded-field px-4 text-sm font-medium whitespace-nowrap';

export function InvitationPicture() {
  return (
    <Picture label="L’e-mail d’invitation reçu par Hugo Bernard : son identifiant, son mot de passe temporaire et un bouton pour ouvrir son espace.">
      <div className="flex items-center gap-3 border-b border-hairline px-5 py-3.5">
        <Mail className="size-4.5 text-encre-faint" />
        <div className="min-w-0 text-sm">
          <p className="truncate font-medium">Votre accès à l’espace Client</p>
          <p className="truncate text-encre-faint">Atelier Lumen · à hugo.bernard@exemple.fr</p>
        </div>
      </div>
      <div className="px-5 py-4">
        <p>Bonjour Hugo,</p>
        <p className="mt-1 text-encre-soft">
          {french('Camille Roux vous invite à recommander Atelier Lumen. Voici vos identifiants :')}
        </p>
        <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-field bg-well px-4 py-3 text-sm">
          <dt className="text-encre-faint">Identifiant</dt>
          <dd className="truncate">hugo.bernard@exemple.fr</dd>
          <dt className="text-encre-faint">Mot de passe</dt>
          <dd className="font-mono">kR7v-Tq2m-9xWd</dd>
        </dl>
        <span className={`${fakeButton} mt-4 bg-sapin text-on-sapin`}>Ouvrir mon espace</span>
      </div>
    </Picture>
  );
}

export function ReferralPicture() {
  return (
    <Picture label="La recommandation de Hugo, telle que sa commerciale la reçoit : Léa Fontaine, son téléphone, le message personnel et le statut « Contacté ».">
      <div className="flex items-start gap-3 px-5 py-4">
        <Avatar name="Léa Fontaine" />
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="font-medium">Léa Fontaine</p>
            <Badge tone="blue" icon={<Phone />}>
              Contacté
            </Badge>
          </div>
          <p className="text-sm text-encre-faint">Recommandée par Hugo Bernard · il y a 2 min</p>
          <blockquote className="mt-3 border-l-2 border-sapin pl-3 text-encre-soft">
            {french(
              '« Tu cherchais quelqu’un pour refaire l’éclairage de ta boutique : appelle-les de ma part, ils sont précis. »',
            )}
          </blockquote>
          <p className="mt-3 text-sm text-encre-soft tabular-nums">lea.fontaine@exemple.fr · 06 12 34 56 78</p>
        </div>
      </div>
      <div className="flex items-center justify-between gap-3 border-t border-hairline px-5 py-3">
        <p className="text-sm text-encre-faint">Assignée à Camille Roux</p>
        <span className={`${fakeButton} border border-edge/60`}>Mettre à jour</span>
      </div>
    </Picture>
  );
}

export function ValidationPicture() {
  return (
    <Picture label="La décision de l’entreprise : contrat de 1 234,56 €, commission client de 123,46 €, commission commerciale de 50,00 €, boutons Refuser et Valider.">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-hairline px-5 py-3.5">
        <p className="font-medium">Contrat de Léa Fontaine</p>
        <Badge tone="purple" icon={<Hourglass />}>
          À valider par admin
        </Badge>
      </div>
      <dl className="px-5 py-2">
        {[
          { label: 'Montant du contrat', note: 'Éclairage de la boutique', cents: 123_456n },
          { label: 'Commission de Hugo Bernard', note: '10 % du contrat', cents: 12_346n },
          { label: 'Commission de Camille Roux', note: 'Montant fixe', cents: 5_000n },
        ].map((line) => (
          <div
            key={line.label}
            className="flex items-baseline justify-between gap-4 border-b border-hairline py-2.5 last:border-0"
          >
            <dt>
              {line.label}
              <span className="block text-sm text-encre-faint">{french(line.note)}</span>
            </dt>
            <dd className="font-heading text-lg font-semibold">
              <Amount cents={line.cents} />
            </dd>
          </div>
        ))}
      </dl>
      <div className="flex flex-wrap items-center justify-end gap-2 border-t border-hairline px-5 py-3">
        <p className="mr-auto flex items-center gap-1.5 text-sm text-encre-soft">
          <BadgeCheck className="size-4 text-sapin" /> Camille a validé
        </p>
        <span className={`${fakeButton} border border-edge/60`}>Refuser</span>
        <span className={`${fakeButton} bg-sapin text-on-sapin`}>Valider</span>
      </div>
    </Picture>
  );
}

export function PaymentPicture() {
  return (
    <Picture label="La demande de paiement de Hugo : 100,00 € par virement, approuvée puis payée ; il reste 23,46 € disponibles.">
      <div className="flex items-end justify-between gap-4 border-b border-hairline px-5 py-4">
        <div>
          <p className="text-sm text-encre-faint">Virement vers FR76 •••• 4021</p>
          <p className="mt-0.5 font-heading text-xl font-semibold">
            <Amount cents={10_000n} />
          </p>
        </div>
        <Badge tone="green-filled" icon={<CircleCheck />}>
          Payée
        </Badge>
      </div>
      <ol className="px-5 py-4 text-sm">
        {[
          { what: 'Demande envoyée', when: '19 mars', Icon: Clock },
          { what: 'Approuvée par Atelier Lumen', when: '20 mars', Icon: BadgeCheck },
          { what: 'Virement effectué', when: '21 mars', Icon: CircleCheck },
        ].map((step) => (
          <li key={step.what} className="flex items-center gap-2.5 py-1">
            <step.Icon className="size-4 text-sapin" />
            <span className="flex-1">{step.what}</span>
            <span className="text-encre-faint">{step.when}</span>
          </li>
        ))}
      </ol>
      <p className="flex items-baseline justify-between border-t border-hairline px-5 py-3 text-encre-soft">
        Encore disponible
        <Amount cents={2_346n} className="font-heading text-lg font-semibold text-sapin" />
      </p>
    </Picture>
  );
}
