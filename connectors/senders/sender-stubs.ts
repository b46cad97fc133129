/**
 * Replaces all functions with which the CRM vendors' libraries could send requests. The libraries build requests, and
 * `src/outbound` sends them. A request that a library sent itself would have no deadline, no pace limit and no check of
 * its address. A library could also follow a redirect and send the token to a different host. The libraries' parsers of
 * XML and of whole CSV files are replaced too. donor-sync does not use these parsers
 * (`connectors/salesforce/client.ts`), and they are almost half of the code to load.
 *
 * When the program is built, the bundler includes these modules (`scripts/without-senders.ts`). When the sources run
 * directly, Node loads them (`without-senders.ts`).
 */

/** Matches files inside the two libraries. When any other file imports the same names, it gets the real modules. */
const LIBRARY = /[\\/]node_modules[\\/](jsforce|@hubspot[\\/]api-client)[\\/]/;

/** Matches HubSpot's own module that sends requests with `fetch`, `http` and `https`. */
const TRANSPORT = /(^|\/)services\/http\/Transport(\.js)?$/;

/**
 * The source code that replaces each module. The libraries can load it, extend its classes and create objects. Every
 * function that would send a request throws an error.
 */
const STUBS: Readonly<Record<string, string>> = {
  undici: `
    export class Agent {}
    export class Response {}
    export const errors = { SocketError: class extends Error {} };
    export class ProxyAgent { constructor() { refuse(); } }
    export const fetch = refuse;
    export const request = refuse;
    export const setGlobalDispatcher = refuse;`,
  'form-data': 'export default class FormData { constructor() { refuse(); } }',
  http: 'export class Agent {} export const request = refuse; export const get = refuse;',
  https: 'export class Agent {} export const request = refuse; export const get = refuse;',
  xml2js: 'export default { parseStringPromise: refuse };',
  'csv-parse/sync': 'export const parse = refuse;',
  'csv-stringify/sync': 'export const stringify = refuse;',
  transport: `
    export const sendBufferedRequest = refuse;
    export const sendFetchRequest = refuse;`,
};

const REFUSE = `
  function refuse() {
    throw new Error('A library of a CRM vendor tried to send or to read on its own. Nothing was sent.');
  }`;

/** Returns the module that replaces an imported module, or null if the import is not replaced. */
export function stubFor(imported: string, importer: string | undefined): string | null {
  if (importer === undefined || !LIBRARY.test(importer)) return null;
  const name = TRANSPORT.test(imported) ? 'transport' : imported.replace(/^node:/, '');
  return Object.hasOwn(STUBS, name) ? name : null;
}

/** Returns the code of such a module. */
export function stubCode(name: string): string {
  return REFUSE + STUBS[name];
}
