import program from '../../../package.json' with { type: 'json' };

/** The version of the whole program, as its package says. */
export const programVersion: string = program.version;
