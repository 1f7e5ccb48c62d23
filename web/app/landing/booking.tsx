import { CalendarClock, CircleCheck, PhoneCall, ReceiptText } from 'lucide-react';
import { Button, buttonClass } from '#ui/button';
import { EmailInput } from '#ui/email-input';
import { Textarea } from '#ui/textarea';
import { TextInput } from '#ui/text-input';
import { french } from '@parrain/domain/typography';
import { DocumentField } from './document-field.tsx';
import { sectionClass, SectionTitle } from './section-title.tsx';

/**
 * The appointment (L-04). The form is the product's own; where a booking page is configured, enliven.ts puts the
 * scheduling service's widget in its place, once the visitor agrees to load it.
 */
export function Booking() {
  return (
    <section id="calendly" aria-labelledby="calendly-titre" className={sectionClass}>
      <div className="grid gap-8 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
        <div>
          <SectionTitle id="calendly-titre" title="Trente minutes pour voir votre programme tourner">
            Une démonstration sur vos propres cas, gratuite et sans engagement.
          </SectionTitle>
          <ul className="mt-5 grid gap-3 max-sm:hidden">
            {promises.map((promise) => (
              <li key={promise.text} className="flex gap-3">
                <promise.Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-sapin" strokeWidth={1.75} />
                <span className="text-encre-soft">{french(promise.text)}</span>
              </li>
            ))}
          </ul>
        </div>
        <div data-booking className="min-w-0">
          <form
            method="post"
            data-booking-form
            noValidate
            className="flex flex-col gap-4 rounded-card border border-hairline bg-sheet p-6 in-data-[closed~=booking]:hidden"
          >
            <div className="grid gap-4 sm:grid-cols-2">
              <DocumentField form="booking" name="name" label="Nom">
                <TextInput name="name" autoComplete="name" />
              </DocumentField>
              <DocumentField form="booking" name="email" label="E-mail">
                <EmailInput name="email" autoComplete="email" />
              </DocumentField>
              <DocumentField form="booking" name="phone" label="Téléphone" optional>
                <TextInput name="phone" type="tel" inputMode="tel" autoComplete="tel" />
              </DocumentField>
              <DocumentField form="booking" name="preferred_slot" label="Créneau souhaité" optional>
                <TextInput name="preferred_slot" placeholder="Jeudi matin, par exemple" />
              </DocumentField>
            </div>
            <DocumentField form="booking" name="message" label="Message" optional>
              <Textarea name="message" rows={2} />
            </DocumentField>
            <p data-booking-failure role="alert" className="text-danger empty:hidden" />
            <Button type="submit" variant="accent" size="lg" className="self-start max-sm:self-stretch">
              Demander un rendez-vous
            </Button>
            <p className="text-sm text-encre-faint">
              {french('Ces informations ne servent qu’à vous rappeler.')}{' '}
              <a href="/pages/confidentialite" className="underline underline-offset-4 hover:text-encre">
                Confidentialité
              </a>
            </p>
          </form>
          <div data-booking-sent hidden tabIndex={-1} className="rounded-card border border-sapin/35 bg-sapin-tint p-8">
            <CircleCheck aria-hidden className="size-6 text-sapin" />
            <h3 className="mt-4 text-lg">Votre demande est enregistrée</h3>
            <p className="mt-1 text-encre-soft">Nous vous recontacterons pour fixer l’heure.</p>
          </div>
          {/* The server says in the document that this one stands (server/src/site.ts): what is first drawn is what stays. */}
          <div
            data-booking-consent
            className="hidden rounded-card in-data-[closed~=booking]:block border border-hairline bg-sheet p-6 sm:p-8"
          >
            <h3 className="text-lg">Choisir un créneau</h3>
            <p className="mt-2 max-w-[56ch] text-encre-soft">
              {french(
                'Le calendrier est fourni par Calendly, qui dépose ses propres cookies. Il ne se charge qu’avec votre accord, gardé dans ce navigateur.',
              )}
            </p>
            <div className="mt-5 flex flex-wrap gap-2">
              <Button variant="accent" size="lg" data-booking-agree>
                Afficher le calendrier
              </Button>
              <a
                data-booking-link
                href="#calendly"
                rel="noopener"
                target="_blank"
                className={buttonClass({ size: 'lg' })}
              >
                Ouvrir la page de réservation
              </a>
            </div>
          </div>
          <div data-booking-widget hidden className="overflow-hidden rounded-card border border-hairline bg-sheet" />
        </div>
      </div>
    </section>
  );
}

const promises = [
  { Icon: CalendarClock, text: '30 minutes, au téléphone ou en démonstration à l’écran.' },
  { Icon: PhoneCall, text: 'Avec quelqu’un qui connaît le produit, pas un centre d’appels.' },
  { Icon: ReceiptText, text: 'Un devis après l’entretien, selon vos commerciaux, vos clients et votre volume.' },
] as const;
