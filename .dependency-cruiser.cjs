// What may import what. An address leads to a room, and rooms have doors: the only way in is a door's index.ts.

const DOORS = ['auth', 'rest', 'functions', 'realtime', 'storage', 'exports'];
const PLATFORM = '^server/src/platform/';
const TESTS = String.raw`\.test\.tsx?$`;

/** A door imports itself, the platform, the domain, and another door's face. */
const doorRules = DOORS.map((door) => ({
  name: `door-${door}-keeps-to-itself`,
  comment: 'A door imports another door only by its index.ts, and never the site or the web application.',
  severity: 'error',
  from: { path: `^server/src/${door}/`, pathNot: TESTS },
  to: {
    path: String.raw`^(?:server/src/(?:${DOORS.filter((other) => other !== door).join('|')})/(?!index\.ts$)|server/src/[^/]+\.ts$|web/|e2e/|bench/)`,
    pathNot: String.raw`^server/src/config\.ts$`,
  },
}));

/**
 * The rooms of `server/src/auth`, from the ground up: a room imports itself and the rooms before it. `index.ts` (the route
 * table) and `for-other-doors.ts` stand on top. A folder that is missing here may import nothing.
 */
const AUTH_ROOMS = [
  'protocol',
  'accounts',
  'passwords',
  'messages',
  'service',
  'webauthn',
  'sessions',
  'codes',
  'factors',
  'passkeys',
  'providers',
  'sign-up',
  'user',
  'token',
  'admin',
];
const AUTH = '^server/src/auth/';
const authRules = [
  ...AUTH_ROOMS.map((room, floor) => ({
    name: `auth-${room}-imports-downwards`,
    severity: 'error',
    from: { path: `${AUTH}${room}/`, pathNot: TESTS },
    to: { path: AUTH, pathNot: `${AUTH}(?:${AUTH_ROOMS.slice(0, floor + 1).join('|')})/` },
  })),
  {
    name: 'auth-files-have-a-room',
    comment: 'A new folder gets its floor in AUTH_ROOMS.',
    severity: 'error',
    from: {
      path: AUTH,
      pathNot: [TESTS, String.raw`${AUTH}(?:index|for-other-doors)\.ts$`, `${AUTH}(?:${AUTH_ROOMS.join('|')})/`],
    },
    to: {},
  },
];

const DASHBOARDS = ['admin', 'commercial', 'client'];
const dashboardRules = DASHBOARDS.map((role) => ({
  name: `dashboard-${role}-knows-no-other`,
  comment: 'A section imports itself, the parts all dashboards share, ui, api and the domain.',
  severity: 'error',
  from: { path: `^web/app/dashboards/${role}/`, pathNot: TESTS },
  to: { path: `^web/app/dashboards/(?:${DASHBOARDS.filter((other) => other !== role).join('|')})/` },
}));

module.exports = {
  forbidden: [
    {
      name: 'domain-is-pure',
      comment: 'The domain imports itself and the schema library: no I/O, no clock, no framework.',
      severity: 'error',
      from: { path: '^domain/src/', pathNot: TESTS },
      to: { pathNot: ['^domain/src/', '^node_modules/(?:zod|ibantools)/'] },
    },
    {
      name: 'database-knows-no-server',
      severity: 'error',
      from: { path: '^database/' },
      to: { path: '^(?:server|web|e2e|bench)/' },
    },
    {
      name: 'platform-knows-no-door',
      severity: 'error',
      from: { path: PLATFORM, pathNot: TESTS },
      to: { path: String.raw`^(?:server/src/(?!platform/|config\.ts$)|web/|e2e/|bench/)` },
    },
    ...doorRules,
    {
      name: 'e-invoicing-keeps-to-itself',
      comment:
        'A room of its own below the doors: it knows the platform and the domain, and is entered by its index.ts.',
      severity: 'error',
      from: { path: '^server/src/e-invoicing/', pathNot: TESTS },
      to: { path: String.raw`^(?:server/src/(?!e-invoicing/|platform/)|web/|e2e/|bench/)` },
    },
    {
      name: 'e-invoicing-is-entered-by-its-door',
      severity: 'error',
      from: { path: '^server/src/', pathNot: [TESTS, '^server/src/e-invoicing/'] },
      to: { path: String.raw`^server/src/e-invoicing/(?!index\.ts$)` },
    },
    ...authRules,
    {
      name: 'commands-enter-by-the-door',
      comment: 'A command imports a door by its index.ts; of auth by for-other-doors.ts, which loads no routes.',
      severity: 'error',
      from: { path: '^server/src/commands/', pathNot: TESTS },
      to: { path: String.raw`^server/src/(?:${DOORS.join('|')})/(?!index\.ts$|for-other-doors\.ts$)` },
    },
    {
      name: 'server-imports-no-web',
      severity: 'error',
      from: { path: '^server/' },
      to: { path: '^(?:web|e2e|bench)/' },
    },
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      from: { path: '^server/src/', pathNot: [TESTS, '^server/src/testing/'] },
      to: { path: String.raw`^(?:server/src/testing/|database/src/testing)` },
    },
    {
      name: 'web-imports-no-server',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^(?:server|database|e2e|bench)/' },
    },
    {
      name: 'ui-knows-no-product',
      comment: 'Components show; they know no domain word, no call, no section. Letters are no word.',
      severity: 'error',
      from: { path: '^web/app/ui/', pathNot: TESTS },
      to: { path: String.raw`^(?:domain/(?!src/without-accents\.ts$)|web/app/(?!ui/))` },
    },
    {
      name: 'api-knows-no-screen',
      severity: 'error',
      from: { path: '^web/app/api/', pathNot: TESTS },
      to: { path: '^web/app/(?:ui|dashboards|landing|account)/' },
    },
    {
      name: 'api-transport-knows-no-room',
      comment: 'How the server is reached stands below what is asked of it.',
      severity: 'error',
      from: { path: '^web/app/api/transport/', pathNot: TESTS },
      to: { path: '^web/app/api/(?!transport/)' },
    },
    ...dashboardRules,
    {
      name: 'landing-loads-no-dashboard',
      severity: 'error',
      from: { path: '^web/app/landing/', pathNot: TESTS },
      to: { path: '^web/app/(?:dashboards|account)/|^node_modules/@supabase/' },
    },
    {
      name: 'no-cycle',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'nothing-unresolved',
      severity: 'error',
      from: { path: '^(?:domain|database|server|web)/' },
      to: { couldNotResolve: true, pathNot: String.raw`^(?:\./\+types/|virtual:|bun$)` },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: String.raw`(?:^|/)(?:build|\.react-router|node_modules/.*/test)/|\+types/` },
    parser: 'swc',
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'module', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
};
