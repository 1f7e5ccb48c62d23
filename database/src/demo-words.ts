/** The words the demo company's history is told with. */

export const firstNames = [
  'Camille', 'Léa', 'Manon', 'Chloé', 'Inès', 'Jade', 'Louise', 'Alice', 'Élise', 'Margaux', 'Hugo', 'Louis', 'Gabriel',
  'Arthur', 'Jules', 'Adam', 'Raphaël', 'Paul', 'Antoine', 'Nathan', 'Sarah', 'Yasmine', 'Anne-Laure', 'Jean-Baptiste',
  'Mathilde', 'Clément', 'Aurélie', 'Benoît', 'Fatou', 'Mehdi', 'Zoé', 'Étienne', 'Maëlys', 'Sébastien', 'Hélène', 'Loïc',
] as const

export const lastNames = [
  'Martin', 'Bernard', 'Petit', 'Durand', 'Leroy', 'Moreau', 'Simon', 'Laurent', 'Lefebvre', 'Michel', 'Garcia', 'David',
  'Bertrand', 'Roux', 'Vincent', 'Fournier', 'Morel', 'Girard', 'André', 'Lefèvre', 'Dupont', 'Lambert', 'Bonnet', 'François',
  'Martinez', 'Legrand', 'Guérin', 'Faure', 'Rousseau', 'Blanc', 'Chevalier', 'Gauthier', 'Perrin', 'Robin', 'Clément',
  'de La Rochefoucauld-Montbel',
] as const

export const friendLastNames = [
  'Barbier', 'Renard', 'Picard', 'Gaillard', 'Olivier', 'Leclerc', 'Colin', 'Vidal', 'Caron', 'Aubert', 'Giraud', 'Rivière',
  'Brunet', 'Philippe', 'Noël', 'Meyer', 'Lucas', 'Schmitt', 'Dumont', 'Marie', 'Mathieu', 'Adam', 'Charpentier', 'Maillard',
] as const

export const messages = [
  'Bonjour, je suis très contente de leur travail : l’équipe est sérieuse et les délais ont été tenus.',
  'On en parlait dimanche : voici le contact de l’entreprise qui a refait notre isolation.',
  'Demande un devis de ma part, ils sont venus sous huit jours chez nous.',
  'Pour ta véranda, je pense que ça vaut le coup de les appeler.',
  'Notre facture de chauffage a baissé d’un tiers, je te les recommande.',
] as const

export const refusals = [
  'Le contact était déjà client avant le parrainage.',
  'Pièce manquante : le contrat signé n’est pas joint.',
  'Le montant ne correspond pas au devis accepté.',
] as const

export const contracts = [
  { name: 'Isolation des combles', low: 2400, high: 6800 },
  { name: 'Pompe à chaleur air-eau', low: 9800, high: 14_900 },
  { name: 'Panneaux solaires, 6 kWc', low: 11_500, high: 18_400 },
  { name: 'Menuiseries : 5 fenêtres', low: 4200, high: 9300 },
  { name: 'Chauffe-eau thermodynamique', low: 2900, high: 4300 },
  { name: 'Rénovation globale', low: 16_000, high: 38_000 },
  { name: 'Poêle à granulés', low: 3600, high: 6200 },
  { name: 'Contrat d’entretien, 3 ans', low: 690, high: 1450 },
] as const
