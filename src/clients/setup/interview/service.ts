/** The questions about the Partner Data Service. */
import { addressProblem } from '../address.ts';
import { checkedBy, type Question } from './question.ts';

export const SERVICE_ADDRESS: Question = {
  setting: 'partner.baseUrl',
  noun: 'the base URL of the Partner Data Service',
  ask: 'What is the base URL of the Partner Data Service?',
  label: 'Address of the service',
  schema: checkedBy(addressProblem),
};

/**
 * The form of a service key. A header and the `.env` file contain the key, so it must be a single word of plain
 * characters.
 */
const SERVICE_KEY_FORM = /^(?!.*')[!-~]+$/;

export const SERVICE_KEY: Question = {
  setting: 'partner.apiKey',
  noun: 'the service key',
  ask: 'What is the service key?',
  label: 'Key',
  schema: checkedBy((text) =>
    SERVICE_KEY_FORM.test(text) ? null : 'must be one word, without spaces and quotes',
  ),
};
