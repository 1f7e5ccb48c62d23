/** The way in which a client who registers alone gets a commercial: an admin chooses, always the same one, or each in turn (DF-06). */
export const newClientsGiven = ['by_hand', 'to_one', 'in_turn'] as const;
export type NewClientsGiven = (typeof newClientsGiven)[number];

export const newClientsLabels: Readonly<Record<NewClientsGiven, string>> = {
  by_hand: 'Je les attribue moi-même',
  to_one: 'À un commercial',
  in_turn: 'À chaque commercial, à tour de rôle',
};

export function isNewClientsGiven(value: unknown): value is NewClientsGiven {
  return newClientsGiven.some((given) => given === value);
}
