/** The address of the public pages' script, known once it is built (vite.config.ts). */
declare module 'virtual:landing-script' {
  const address: string;
  export default address;
}
