/** The short public pages that the footer leads to (L-05): one address each, written at build time. */
export interface PublicPage {
  slug: string;
  title: string;
  lead: string;
  sections: readonly Section[];
}

/** Its paragraphs hold places, « {publisher} », that the server fills with the installation's legal notice (server/src/site.ts). */
interface Section {
  title: string;
  text: readonly string[];
  /** Shown only where there is a legal notice, or an audit of accessibility; or only where there is none. */
  when?: keyof typeof shownWhen;
}

/** Written at build time, a page holds the words of each case; the server names in `data-closed` what is missing. */
export const shownWhen = {
  notice: 'in-data-[closed~=notice]:hidden',
  'no notice': 'hidden in-data-[closed~=notice]:block',
  audit: 'in-data-[closed~=audit]:hidden',
  'no audit': 'hidden in-data-[closed~=audit]:block',
} as const;

const unknownPublisher =
  'Cette entreprise n’a pas encore rempli cette rubrique. Pour la joindre, adressez-vous à la personne qui vous a invité.';

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
        title: 'Nous écrire, nous appeler',
        text: ['{publisher}', '{address}', '{email}', '{phone}'],
        when: 'notice',
      },
      { title: 'Nous écrire', text: [unknownPublisher], when: 'no notice' },
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
          '{identity}',
          'Siège : {address}',
          'Téléphone : {phone}',
          'E-mail : {email}',
          'Directeur ou directrice de la publication : {director}',
        ],
        when: 'notice',
      },
      { title: 'Éditeur', text: [unknownPublisher], when: 'no notice' },
      { title: 'Hébergement', text: ['{host}'], when: 'notice' },
      {
        title: 'Accessibilité',
        text: [
          'Ce site est {state} avec le RGAA. La déclaration d’accessibilité dit pourquoi, et comment signaler un obstacle.',
        ],
      },
    ],
  },
  {
    slug: 'accessibilite',
    title: 'Déclaration d’accessibilité',
    lead: 'Ce site doit servir à chacun : au clavier, avec un lecteur d’écran, agrandi, dans le noir.',
    sections: [
      {
        title: 'Engagement',
        text: [
          '{publisher} s’engage à rendre ce site accessible, conformément à l’article 47 de la loi n° 2005-102 du 11 février 2005. Cette déclaration vaut pour ses pages publiques et pour les espaces des administrateurs, des commerciaux et des clients.',
        ],
        when: 'notice',
      },
      {
        title: 'État de conformité',
        text: [
          'Ce site est {state} avec le référentiel général d’amélioration de l’accessibilité (RGAA), version 4.1.2.',
        ],
      },
      {
        title: 'Résultats des tests',
        text: ['Aucun audit n’a encore été fait : c’est pourquoi ce site ne peut pas se dire conforme.'],
        when: 'no audit',
      },
      { title: 'Résultats des tests', text: ['{audit}'], when: 'audit' },
      { title: 'Contenus non accessibles', text: ['{gaps}'], when: 'audit' },
      {
        title: 'Établissement de cette déclaration',
        text: [
          'Technologies employées : HTML, CSS, JavaScript, SVG, WAI-ARIA ; les relevés et les pièces sont des PDF balisés.',
          'À chaque changement, des essais automatiques parcourent les écrans : règles d’accessibilité, clavier seul, agrandissement, couleurs forcées. Ils ne remplacent pas un audit.',
        ],
      },
      {
        title: 'Signaler un obstacle',
        text: [
          'Si vous ne parvenez pas à accéder à un contenu ou à un service, écrivez-nous : nous vous donnerons ce contenu sous une autre forme, et nous corrigerons l’obstacle.',
        ],
      },
      {
        title: 'Contact',
        text: ['{publisher}', 'E-mail : {email}', 'Téléphone : {phone}', 'Courrier : {address}'],
        when: 'notice',
      },
      { title: 'Contact', text: [unknownPublisher], when: 'no notice' },
      {
        title: 'Voies de recours',
        text: [
          'Vous nous avez signalé un défaut d’accessibilité qui vous empêche d’utiliser ce site, et vous n’avez pas eu de réponse satisfaisante ? Vous pouvez saisir le Défenseur des droits :',
          'par son formulaire, sur formulaire.defenseurdesdroits.fr ;',
          'par son délégué dans votre région, sur www.defenseurdesdroits.fr/saisir/delegues ;',
          'par courrier, gratuit et sans timbre : Défenseur des droits, Libre réponse 71120, 75342 Paris Cedex 07.',
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
      { title: 'Responsable du traitement', text: ['{publisher}, {address}', 'E-mail : {email}'], when: 'notice' },
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
          'Une demande envoyée par un lien personnel laisse, quinze minutes, un cookie nécessaire : la même demande envoyée deux fois n’en fait qu’une.',
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
