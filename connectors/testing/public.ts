/** Exports of the package `donor-sync/connector/testing`, for the tests of connector packages. */
export { createMemoryConnector, defineMemoryConnector } from '../memory/connector.ts';
export { createMemoryCrm, type MemoryCrm } from '../memory/crm.ts';
export * from './conformance.ts';
