/** How the program ends. */
export const Exit = {
  /** It was told to leave. */
  Left: 0,
  /** The arena refused it for good, or its address is taken. */
  Refused: 1,
  /** Its command line is wrong. */
  Usage: 2,
  /** Another bot took its name over. */
  TakenOver: 3,
} as const;

export type Exit = (typeof Exit)[keyof typeof Exit];

/** Wrong usage: the message is for who started the program. */
export class UsageError extends Error {}
