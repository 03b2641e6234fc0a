package main

import "github.com/spf13/cobra"

func newRunCommand() *cobra.Command { return &cobra.Command{Use: "run"} }
func newListCommand() *cobra.Command { return &cobra.Command{Use: "list"} }
func newRenderCommand() *cobra.Command { return &cobra.Command{Use: "render"} }
