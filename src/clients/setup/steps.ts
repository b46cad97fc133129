/** The steps of a set-up in their order; each is a page of its own. */
export const SETUP_STEPS = [
  'crm',
  'key',
  'people',
  'fields',
  'networks',
  'schedule',
  'plan',
] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];

/** The steps that are done, with one more. */
export function withStep(done: readonly SetupStep[], step: SetupStep): SetupStep[] {
  return SETUP_STEPS.filter((one) => one === step || done.includes(one));
}

/** The step at which the set-up goes on. */
export function nextStep({ done }: { done: readonly SetupStep[] }): SetupStep {
  return SETUP_STEPS.find((step) => !done.includes(step)) ?? 'plan';
}
