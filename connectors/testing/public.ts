/** Exports of the package `donor-sync/connector/testing`, for the tests of connector packages. */
export { createMemoryConnector, defineMemoryConnector } from '../memory/connector.ts';
export { createMemoryCrm, type MemoryCrm } from '../memory/crm.ts';
export * from './conformance.ts';
export { defineExampleConnector } from './example/connector.ts';
export { EXAMPLE_ABILITIES, openExampleHarness } from './example/harness.ts';
export { MISTAKES, type Mistake } from './example/mistakes.ts';
export { type BrokenPromise, findBrokenPromises } from './run.ts';
