/** The source of time, which a test can stop. */
export type Clock = {
  readonly now: () => Date;
};

export const systemClock: Clock = { now: () => new Date() };
