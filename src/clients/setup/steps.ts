/** The set-up steps in order. Each set-up step has its own page. */
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

/** Returns the completed steps, including this step. */
export function withStep(done: readonly SetupStep[], step: SetupStep): SetupStep[] {
  return SETUP_STEPS.filter((one) => one === step || done.includes(one));
}

export function nextStep({ done }: { done: readonly SetupStep[] }): SetupStep {
  return SETUP_STEPS.find((step) => !done.includes(step)) ?? 'plan';
}
