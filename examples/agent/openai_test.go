package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/examples/loop"
	"github.com/agentplan/sdk/planmode"
)

// chatServer answers by the script and keeps the requests.
func chatServer(t *testing.T, answers ...string) (server *httptest.Server, requests *[]map[string]any) {
	t.Helper()
	requests = new([]map[string]any)
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request map[string]any
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("request to %s with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		n := len(*requests)
		*requests = append(*requests, request)
		if n >= len(answers) {
			t.Errorf("request %d was not expected", n+1)
			http.Error(w, "done", http.StatusGone)
			return
		}
		if code := 0; strings.HasPrefix(answers[n], "5") {
			fmt.Sscan(answers[n], &code)
			http.Error(w, "later", code)
			return
		}
		fmt.Fprint(w, answers[n])
	}))
	t.Cleanup(server.Close)
	return server, requests
}

// said is an answer with text, called one with a tool call.
func said(text string) string {
	return fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, text)
}

func called(id, name, args string) string {
	return fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}]},"finish_reason":"tool_calls"}]}`, id, name, args)
}

func TestEndpoint(t *testing.T) {
	t.Setenv("TEST_KEY", "secret")
	server, requests := chatServer(t,
		called("c1", "list_files", ""),
		called("c2", planmode.ToolName, `{"plan":"# Do it\n\n1. Now.\n"}`),
		said("I did it."))
	dir := t.TempDir()
	output := dialogue(t, []string{"-dir", dir, "-id", "s", "-endpoint", server.URL + "/v1/", "-model", "m", "-key-env", "TEST_KEY"},
		"/plan do it", "approve")
	if !strings.Contains(output, "I did it.") {
		t.Errorf("output:\n%s", output)
	}
	_, s := readSession(t, dir, "s")
	if s.Active || s.Approved == nil || s.Approved.Plan != "# Do it\n\n1. Now.\n" {
		t.Errorf("state %+v", s)
	}

	last := (*requests)[2]
	var roles []string
	for _, m := range last["messages"].([]any) {
		message := m.(map[string]any)
		role := message["role"].(string)
		if id, ok := message["tool_call_id"]; ok {
			role += " " + id.(string)
		}
		if calls, ok := message["tool_calls"].([]any); ok {
			role += " asks " + calls[0].(map[string]any)["id"].(string)
		}
		roles = append(roles, role)
	}
	if diff := cmp.Diff([]string{"system", "user", "assistant asks c1", "tool c1", "assistant asks c2", "tool c2"}, roles); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff((*requests)[0]["tools"], last["tools"]); diff != "" {
		t.Errorf("the tools changed: %s", diff)
	}
	system := func(i int) string {
		return (*requests)[i]["messages"].([]any)[0].(map[string]any)["content"].(string)
	}
	if !strings.Contains(system(0), guidance) || !strings.Contains(system(1), guidance) || strings.Contains(system(2), guidance) {
		t.Errorf("guidance stands wrong in %q, %q, %q", system(0), system(1), system(2))
	}
}

func TestEndpointErrors(t *testing.T) {
	t.Setenv("TEST_KEY", "secret")
	for name, test := range map[string]struct {
		answer    string
		temporary bool
		text      string
	}{
		"busy":        {"503", true, "503"},
		"not JSON":    {"<html>", false, "decode answer"},
		"no choices":  {"{}", false, "no choices"},
		"other shape": {`{"choices":7}`, false, "decode answer"},
	} {
		t.Run(name, func(t *testing.T) {
			server, _ := chatServer(t, test.answer)
			_, err := endpoint{url: server.URL + "/v1", model: "m", key: "secret"}.Reply(t.Context(), loop.Request{})
			if err == nil || !strings.Contains(err.Error(), test.text) || errors.Is(err, loop.ErrTemporary) != test.temporary {
				t.Errorf("error %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the key is in %v", err)
			}
		})
	}
	t.Run("no server", func(t *testing.T) {
		server := httptest.NewServer(nil)
		server.Close()
		_, err := endpoint{url: server.URL, model: "m"}.Reply(t.Context(), loop.Request{})
		if !errors.Is(err, loop.ErrTemporary) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("truncated", func(t *testing.T) {
		answer := `{"choices":[{"message":{"role":"assistant","content":"so far","tool_calls":[{"id":"c1","function":{"name":"write_note","arguments":"{"}}]},"finish_reason":"length"}]}`
		server, _ := chatServer(t, answer)
		dir := t.TempDir()
		output := dialogue(t, []string{"-dir", dir, "-id", "s", "-endpoint", server.URL + "/v1", "-model", "m", "-key-env", "TEST_KEY"}, "hello")
		if !strings.Contains(output, "(turn ended: max-tokens)") {
			t.Errorf("output:\n%s", output)
		}
		events, _ := readSession(t, dir, "s")
		for _, e := range events {
			if bytes.Contains(e.Data, []byte("write_note")) && e.Type != "request/header" {
				t.Errorf("the call that was cut off is in the log: %s", e.Data)
			}
		}
	})
}
