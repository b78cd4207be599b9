/** Checks what a model gives to a tool against the tool's JSON Schema. */
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { SubagentError } from '../../../errors.ts';
import type { JsonObject, JsonValue } from '../../../sessions/json.ts';
import { faultsOf } from '../../schema-faults.ts';

/** What is wrong with the input, in words that name paths and rules but not values; undefined if nothing is. */
export type InputCheck = (input: JsonValue) => string | undefined;

/**
 * Schemas come from hosts and tool servers: unknown keywords and formats are no reason to refuse a tool. Only what an object has
 * itself counts, or every input would have a `constructor`.
 */
const options: Options = { strict: false, validateSchema: false, logger: false, ownProperties: true };

const compiled = new WeakMap<JsonObject, ValidateFunction>();

/** Throws `INVALID_ARGUMENT` if the schema cannot be used. */
export function inputCheck(toolName: string, schema: JsonObject): InputCheck {
  const validate = compiled.get(schema) ?? compile(toolName, schema);
  compiled.set(schema, validate);
  return (input) => {
    try {
      if (validate(input)) return undefined;
    } catch {
      return 'its schema has no end'; // it refers to itself without taking a step into the input, which overflows the stack
    }
    return faultsOf(validate, (place) => `input${place}`);
  };
}

/** An instance of its own for each schema: one that is shared would keep every schema for ever, and refuse a second `$id`. */
function compile(toolName: string, schema: JsonObject): ValidateFunction {
  const dialect = typeof schema.$schema === 'string' && schema.$schema.includes('2020-12') ? Ajv2020 : Ajv;
  try {
    // it would answer with a promise, which is no answer, and whose rejection nobody hears
    if (schema.$async !== undefined) throw new Error('a schema of a tool is not asynchronous');
    return new dialect(options).compile(schema);
  } catch (error) {
    throw new SubagentError('INVALID_ARGUMENT', `the input schema of tool ${toolName} cannot be used`, { cause: error });
  }
}
