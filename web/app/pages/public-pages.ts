/** The short public pages that the footer leads to (L-05): one address each, written at build time. */
export interface PublicPage {
  slug: string;
  title: string;
  lead: string;
  sections: readonly { title: string; text: readonly string[] }[];
}

export const publicPages: readonly PublicPage[] = [
  {
    slug: 'a-propos',
    title: 'À propos',
    lead: 'Parrain aide les entreprises à tenir leur programme de parrainage commercial comme un grand livre.',
    sections: [
      {
        title: 'Pourquoi Parrain',
        text: [
          'Une recommandation vaut plus qu’une publicité, à condition de tenir parole : dire merci, vite, et au centime près. C’est ce que les tableurs font mal.',
          'Parrain relie l’entreprise, ses commerciaux et leurs clients autour d’une seule écriture par vente, de l’invitation au virement.',
        ],
      },
      {
        title: 'Nos principes',
        text: [
          'Un montant est exact ou n’est pas affiché. Une décision laisse une trace. Une correction s’ajoute, elle n’efface pas.',
        ],
      },
    ],
  },
  {
    slug: 'contact',
    title: 'Contact',
    lead: 'Une question sur le produit, un devis, un souci d’accès : le plus simple est de demander un rendez-vous.',
    sections: [
      {
        title: 'Vous découvrez Parrain',
        text: ['Demandez un rendez-vous gratuit de 30 minutes depuis la page d’accueil, rubrique « Réserver un RDV ».'],
      },
      {
        title: 'Vous avez déjà un compte',
        text: [
          'Clients : votre commercial est votre premier interlocuteur ; son nom figure sur chacun de vos parrainages.',
          'Mot de passe perdu : la page « Mot de passe oublié ? » envoie un lien à votre adresse.',
        ],
      },
    ],
  },
  {
    slug: 'blog',
    title: 'Blog',
    lead: 'Pourcentage ou montant fixe ? Ce que chaque barème change au comportement d’une équipe.',
    sections: [
      {
        title: 'Le pourcentage suit la valeur',
        text: [
          'Avec 10 %, un contrat de 1 234,56 € rapporte 123,46 € à celui qui a recommandé. Plus le contrat est grand, plus le merci l’est aussi : le pourcentage convient aux ventes dont le montant varie beaucoup.',
          'Son défaut : personne ne sait d’avance ce qu’il touchera. Il faut donc montrer la prévision dès qu’un montant est connu, puis le calcul exact une fois la vente validée.',
        ],
      },
      {
        title: 'Le montant fixe se retient',
        text: [
          '« 50 € par ami qui signe » se dit en une phrase, et se répète. Le montant fixe convient aux offres à prix stable, et quand il faut surtout lancer le bouche-à-oreille.',
          'Son défaut : une petite vente coûte alors proportionnellement cher. Comparez le montant à la marge de votre plus petit contrat, pas à celle du contrat moyen.',
        ],
      },
      {
        title: 'Trois règles, quel que soit le barème',
        text: [
          'Écrire le barème avant la première recommandation, et ne jamais le changer pour une vente déjà validée. Arrondir au centime, toujours de la même façon. Verser vite : une commission en retard coûte plus de recommandations qu’un taux modeste.',
        ],
      },
    ],
  },
  {
    slug: 'carrieres',
    title: 'Carrières',
    lead: 'Nous sommes une petite équipe, et nous tenons à le rester.',
    sections: [
      {
        title: 'Comment nous travaillons',
        text: [
          'Nous écrivons peu de code et beaucoup de vérifications : un montant faux est une panne. Chaque écran s’utilise au clavier, sur un téléphone et dans le noir, ou n’est pas fini.',
          'Nous préférons une phrase claire à un tutoriel, et une décision écrite à une réunion.',
        ],
      },
      {
        title: 'Candidatures',
        text: [
          'Aucun poste n’est ouvert en ce moment, et nous le dirons ici quand il y en aura un. Rien n’empêche de se présenter avant, par une demande de rendez-vous.',
        ],
      },
    ],
  },
  {
    slug: 'mentions-legales',
    title: 'Mentions légales',
    lead: 'Qui édite et qui héberge cette installation de Parrain.',
    sections: [
      {
        title: 'Éditeur',
        text: [
          'Cette installation est éditée par l’entreprise dont le nom figure en tête des espaces de travail. Elle est responsable de la publication et du programme de parrainage qu’elle propose.',
        ],
      },
      {
        title: 'Hébergement',
        text: [
          'L’application et sa base de données sont hébergées par l’éditeur ou par le prestataire qu’il a choisi ; demandez-lui lequel par la page Contact.',
        ],
      },
      {
        title: 'Accessibilité : partiellement conforme',
        text: [
          'L’interface vise le RGAA 4.1.2 et les WCAG 2.2 au niveau AA. Un obstacle vous gêne ? Signalez-le par la page Contact : nous le corrigeons en priorité.',
        ],
      },
    ],
  },
  {
    slug: 'confidentialite',
    title: 'Confidentialité',
    lead: 'Les données que Parrain garde, pourquoi, et ce que vous pouvez demander.',
    sections: [
      {
        title: 'Ce qui est gardé',
        text: [
          'Votre nom, votre adresse e-mail et, si vous le donnez, votre téléphone ; les recommandations et les contrats qui vous concernent ; vos commissions et vos demandes de paiement.',
          'Les coordonnées bancaires sont chiffrées, masquées dans les listes, et chaque lecture par l’entreprise est inscrite au journal.',
        ],
      },
      {
        title: 'Pourquoi, et combien de temps',
        text: [
          'Ces données servent à suivre le programme de parrainage et à verser les commissions. Les écritures comptables sont conservées le temps que la loi impose ; le reste disparaît avec le compte.',
        ],
      },
      {
        title: 'Vos droits',
        text: [
          'Vous pouvez consulter, corriger, exporter ou faire supprimer vos données : adressez-vous à l’entreprise qui vous a invité, ou à la CNIL en cas de désaccord.',
        ],
      },
    ],
  },
  {
    slug: 'cgu',
    title: 'CGU',
    lead: 'Les conditions générales d’utilisation, en clair.',
    sections: [
      {
        title: 'Votre compte',
        text: [
          'Un compte est personnel. Son mot de passe ne se partage pas ; un mot de passe temporaire se remplace à la première connexion.',
        ],
      },
      {
        title: 'Recommander quelqu’un',
        text: [
          'Ne recommandez que des personnes qui l’acceptent : leur nom et leur adresse sont transmis à votre commercial pour qu’il les recontacte.',
        ],
      },
      {
        title: 'Les commissions',
        text: [
          'Une commission est due quand l’entreprise a validé la vente. Son montant suit le barème retenu à cette date, et ne change plus, sauf si le contrat lui-même est réduit ou annulé ; chaque correction est expliquée.',
          'Une demande de paiement va de 1 € au montant disponible. L’entreprise peut la refuser, en disant pourquoi.',
        ],
      },
    ],
  },
  {
    slug: 'cookies',
    title: 'Cookies',
    lead: 'Ce site n’en dépose aucun pour vous suivre.',
    sections: [
      {
        title: 'Ce que le navigateur garde',
        text: [
          'Votre session, votre langue et l’apparence choisie sont gardées dans ce navigateur. Elles sont nécessaires au service et n’en sortent pas.',
        ],
      },
      {
        title: 'La prise de rendez-vous',
        text: [
          'Si la prise de rendez-vous utilise Calendly, ce service dépose ses propres cookies. Il n’est chargé qu’après votre accord, sur la page d’accueil.',
        ],
      },
    ],
  },
];

export const publicPageSlugs: readonly string[] = publicPages.map((page) => page.slug);
