/** Structured results: the schema is checked when the child is started, the value when it is handed in. */
import { Ajv, type ValidateFunction } from 'ajv';
import { SubagentError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../sessions/json.ts';

const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, validateFormats: false });
const compiled = new WeakMap<JsonObject, ValidateFunction>();

/** Throws `INVALID_ARGUMENT` unless the schema is valid JSON Schema whose root says `type: "object"` and that names no remote schema. */
export function checkOutputSchema(schema: JsonObject): void {
  if (schema.type !== 'object') throw new SubagentError('INVALID_ARGUMENT', 'an output schema describes an object at its root');
  validator(schema);
}

/** Throws `INVALID_ARGUMENT` that names each place where the value breaks the schema, but not the value. */
export function checkStructured(schema: JsonObject, value: JsonValue): void {
  const validate = validator(schema);
  if (validate(value) === true) return;
  const faults = (validate.errors ?? [])
    .slice(0, 10)
    .map((fault) => `${fault.instancePath || 'the result'} ${fault.message ?? 'is invalid'}`);
  throw new SubagentError('INVALID_ARGUMENT', `the result does not satisfy its schema: ${faults.join('; ')}`);
}

function validator(schema: JsonObject): ValidateFunction {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  try {
    const validate = ajv.compile(withoutId(schema));
    compiled.set(schema, validate);
    return validate;
  } catch (error) {
    throw new SubagentError('INVALID_ARGUMENT', 'the output schema cannot be used', { cause: error });
  }
}

/** An `$id` would register the schema for the life of the process, and a second schema with it would be refused. */
function withoutId(schema: JsonObject): JsonObject {
  const { $id: _, ...rest } = schema;
  return rest;
}
