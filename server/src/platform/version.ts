import program from '../../../package.json' with { type: 'json' };

/** The version of the whole program, from its package. */
export const programVersion: string = program.version;
