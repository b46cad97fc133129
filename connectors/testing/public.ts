/** What the tests of connector packages import as `donor-sync/connector/testing`. */
export { createMemoryConnector, defineMemoryConnector } from '../memory/connector.ts';
export { createMemoryCrm, type MemoryCrm } from '../memory/crm.ts';
export * from './conformance.ts';
