import type { FirstStep } from '@parrain/domain/first-steps';

/** Words of each first step: its name in the row of all five, the question and the text of its screen. */
export const stepWords: Readonly<Record<FirstStep, { name: string; title: string; text: string }>> = {
  company: {
    name: 'Entreprise',
    title: 'Comment s’appelle votre entreprise ?',
    text: 'Vos commerciaux et vos clients voient son nom et son logo en tête de leur espace et de leurs e-mails.',
  },
  scale: {
    name: 'Barème',
    title: 'Que gagne-t-on quand un ami signe ?',
    text: 'C’est votre premier barème. Vous pourrez en changer ou en ajouter d’autres : les contrats déjà validés gardent le leur.',
  },
  commercial: {
    name: 'Commercial',
    title: 'Qui rappelle les amis recommandés ?',
    text: 'Votre premier commercial invite vos clients, rappelle leurs amis et déclare les contrats. Ce peut être vous, avec une autre adresse.',
  },
  mail: {
    name: 'E-mails',
    title: 'Vos e-mails arrivent-ils ?',
    text: 'Parrain écrit à vos commerciaux et à vos clients : invitations, mots de passe, paiements.',
  },
  legal: {
    name: 'Mentions légales',
    title: 'Qui êtes-vous, pour la loi ?',
    text: 'La loi oblige tout site à dire qui l’édite, qui l’héberge et comment vous joindre. Ces lignes remplissent vos mentions légales.',
  },
};
