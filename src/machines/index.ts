/** The statecharts of the library, pure: import one, draw it, walk it, test against it. */
export {
  type ActivationMachine,
  activationMachine,
  createActivationMachine,
} from './activation.ts';
export { type ActivationPorts, noActivationPorts } from './activation-ports.ts';
export type {
  ActivationBounds,
  ActivationContext,
  ActivationEvent,
  ActivationEventType,
  ActivationInput,
  ActivationKind,
  ActivationOutcome,
  ActivationOutput,
  MailPolicy,
  ReleaseReason,
} from './activation-types.ts';
export {
  type AttachmentContext,
  type AttachmentEvent,
  type AttachmentInput,
  type AttachmentPorts,
  attachmentMachine,
  createAttachmentMachine,
} from './attachment.ts';
export {
  createRuntimeMachine,
  type RuntimeContext,
  type RuntimeEvent,
  type RuntimeInput,
  type RuntimePorts,
  runtimeMachine,
} from './runtime.ts';
