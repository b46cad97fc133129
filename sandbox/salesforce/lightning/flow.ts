/** Runs a screen flow up to the next screen. The runner supports only the elements that donor-sync's own flows use. */

import { randomUUID } from 'node:crypto';
import { type CallAction, CalloutFault } from './external-services.ts';
import { childOf, childrenOf, type Element, textOf } from './metadata.ts';

/** A screen, with values in its texts. */
export interface Screen {
  label: string;
  /** The HTML of the display texts, with escaped values. */
  html: string;
  /** The label of the button at the bottom. */
  button: string;
  /** True if the flow ends when the user clicks this button. */
  isLast: boolean;
}

export interface FlowOrg {
  flows: ReadonlyMap<string, Element>;
  callAction: CallAction;
  /** Returns one record, or undefined if the user cannot see it. */
  findRecord(object: string, id: string, fields: readonly string[]): Promise<unknown>;
  organizationId: string;
}

/** A flow that is running. */
export interface Interview {
  /** Runs the flow until its next screen. Returns null if the flow has no further screen. */
  next(): Promise<Screen | null>;
}

/** The maximum number of steps. Our flows have fewer steps. The limit ends a flow that goes in a circle. */
const MAX_STEPS = 100;

export function startInterview(org: FlowOrg, flowName: string, recordId: string): Interview {
  const guid = randomUUID();
  return interviewOf(org, flowName, recordId, guid);
}

function interviewOf(org: FlowOrg, flowName: string, recordId: string, guid: string): Interview {
  const flow = org.flows.get(flowName);
  if (flow === undefined) throw new Error(`The org has no flow ${flowName}.`);
  const outputs: Record<string, unknown> = { recordId };
  let fault = '';
  let at = target(childOf(flow, 'start'));
  let subflow: Interview | null = null;

  function resolve(reference: string): unknown {
    if (reference === '$Flow.InterviewGuid') return guid;
    if (reference === '$Flow.FaultMessage') return fault;
    if (reference === '$Organization.Id') return org.organizationId;
    const formula = childrenOf(flowElement(), 'formulas').find(
      (one) => textOf(one, 'name') === reference,
    );
    if (formula !== undefined) return evaluateFormula(textOf(formula, 'expression') ?? '');
    return reference
      .split('.')
      .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), outputs);
  }

  function flowElement(): Element {
    if (flow === undefined) throw new Error('no flow');
    return flow;
  }

  /** The stand-in's IDs already have 18 characters, so the formula changes nothing. */
  function evaluateFormula(expression: string): unknown {
    const [, inner = ''] = /^CASESAFEID\(\{!([^}]+)\}\)$/.exec(expression) ?? [];
    if (inner === '') throw new Error(`The formula ${expression} is not known.`);
    return resolve(inner);
  }

  function inputsOf(element: Element, name: string): Record<string, string> {
    return Object.fromEntries(
      childrenOf(element, name).map((input) => [
        textOf(input, 'name') ?? '',
        String(resolve(textOf(input, 'value', 'elementReference') ?? '') ?? ''),
      ]),
    );
  }

  async function step(element: Element): Promise<Screen | null> {
    const name = textOf(element, 'name') ?? '';
    switch (element.name) {
      case 'actionCalls':
        try {
          const inputs = inputsOf(element, 'inputParameters');
          outputs[name] = await org.callAction(textOf(element, 'actionName') ?? '', inputs);
          at = target(element);
        } catch (error) {
          if (!(error instanceof CalloutFault)) throw error;
          fault = error.message;
          at = textOf(element, 'faultConnector', 'targetReference');
        }
        return null;
      case 'recordLookups': {
        const fields = childrenOf(element, 'queriedFields').map(({ text }) => text);
        const filter = childOf(element, 'filters');
        const id = resolve((filter && textOf(filter, 'value', 'elementReference')) ?? '');
        outputs[name] = await org.findRecord(textOf(element, 'object') ?? '', String(id), fields);
        at = target(element);
        return null;
      }
      case 'decisions':
        at = decide(element);
        return null;
      case 'subflows': {
        const inputs = inputsOf(element, 'inputAssignments');
        const called = textOf(element, 'flowName') ?? '';
        subflow = interviewOf(org, called, inputs['recordId'] ?? '', guid);
        at = target(element);
        return null;
      }
      case 'screens':
        at = target(element);
        return show(element, at === undefined);
      default:
        throw new Error(`Elements of the kind ${element.name} are not known.`);
    }
  }

  function decide(element: Element): string | undefined {
    for (const rule of childrenOf(element, 'rules')) {
      const holds = childrenOf(rule, 'conditions').every((condition) => {
        const left = resolve(textOf(condition, 'leftValueReference') ?? '');
        return String(left) === textOf(condition, 'rightValue', 'booleanValue');
      });
      if (holds) return target(rule);
    }
    return textOf(element, 'defaultConnector', 'targetReference');
  }

  function show(element: Element, isLast: boolean): Screen {
    const fill = (html: string) =>
      html.replace(/\{!([^}]+)\}/g, (_all, name: string) =>
        escapeHtml(String(resolve(name) ?? '')),
      );
    return {
      label: textOf(element, 'label') ?? '',
      html: childrenOf(element, 'fields')
        .map((field) => fill(textOf(field, 'fieldText') ?? ''))
        .join(''),
      button: textOf(element, 'nextOrFinishButtonLabel') ?? (isLast ? 'Finish' : 'Next'),
      isLast,
    };
  }

  return {
    async next() {
      for (let steps = 0; steps < MAX_STEPS; steps += 1) {
        if (subflow !== null) {
          const screen: Screen | null = await subflow.next();
          if (screen !== null) return screen;
          subflow = null;
        }
        const element = flowElement().children.find((one) => textOf(one, 'name') === at);
        if (at === undefined || element === undefined) return null;
        const screen = await step(element);
        if (screen !== null) return screen;
      }
      throw new Error(`The flow ${flowName} does not end.`);
    },
  };
}

function target(element: Element | undefined): string | undefined {
  return element && textOf(element, 'connector', 'targetReference');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
